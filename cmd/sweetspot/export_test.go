package main

var (
	Main = main
	Root = root
)
