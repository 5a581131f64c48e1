package main

var Command = command
