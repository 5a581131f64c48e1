-- The tables of TPC-B.
CREATE TABLE branches (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE tellers (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL, filler char(84) NOT NULL);
CREATE TABLE history (branch int, teller int, account int, delta int, at timestamp);
INSERT INTO branches SELECT i, 0 FROM generate_series(1, BRANCHES) AS i;
INSERT INTO tellers SELECT i, 0 FROM generate_series(1, TELLERS) AS i;
INSERT INTO accounts SELECT i, 0, '' FROM generate_series(1, ACCOUNTS) AS i;
