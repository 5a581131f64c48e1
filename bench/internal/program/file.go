package program

import (
	"encoding/json"
	"os"
)

// WriteJSON writes a document to a file.
func WriteJSON(file string, document any) error {
	data, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
