package vetcmd

var (
	FromGoCommand = fromGoCommand
	InfoWanted    = infoWanted
	Tidied        = tidied
)
