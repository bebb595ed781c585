// Translates standard input: example MODEL <text.en >text.de
//
//	go build example.go
package main

// #cgo pkg-config: dietmt
// #include <dietmt/c.h>
// #include <stdlib.h>
import "C"

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Model is a loaded model. Goroutines may share it.
type Model struct{ translator *C.dietmt_translator }

// checked runs a call and turns its status into an error. The message belongs to the thread of the
// call, so that the goroutine must stay on it.
func checked(call func() C.dietmt_status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if call() == C.DIETMT_OK {
		return nil
	}
	return errors.New(C.GoString(C.dietmt_last_error()))
}

// Load reads a model directory of `dietmt quantize`.
func Load(directory string) (*Model, error) {
	name := C.CString(directory)
	defer C.free(unsafe.Pointer(name))
	model := new(Model)
	err := checked(func() C.dietmt_status { return C.dietmt_load(name, nil, &model.translator) })
	return model, err
}

// Close frees the model.
func (model *Model) Close() { C.dietmt_free(model.translator) }

// Translate returns the best translation of each line.
func (model *Model) Translate(lines []string) ([]string, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	texts := make([]*C.char, len(lines))
	for i, line := range lines {
		texts[i] = C.CString(line)
		defer C.free(unsafe.Pointer(texts[i]))
	}
	var result *C.dietmt_translations
	err := checked(func() C.dietmt_status {
		return C.dietmt_translate(model.translator, &texts[0], C.size_t(len(texts)), nil, &result)
	})
	if err != nil {
		return nil, err
	}
	defer C.dietmt_translations_free(result)
	translations := make([]string, len(lines))
	for i := range translations {
		translations[i] = C.GoString(C.dietmt_text(result, C.size_t(i), 0))
	}
	return translations, nil
}

func run(directory string) error {
	model, err := Load(directory)
	if err != nil {
		return err
	}
	defer model.Close()
	var lines []string
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	translations, err := model.Translate(lines)
	for _, text := range translations {
		fmt.Println(text)
	}
	return err
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: example MODEL <INPUT >OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "example:", err)
		os.Exit(1)
	}
}
