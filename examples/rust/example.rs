//! Translates standard input: example MODEL <text.en >text.de
//!
//!     rustc example.rs $(pkg-config --libs-only-L dietmt)

use std::ffi::{c_char, c_int, CStr, CString};
use std::io::BufRead;
use std::ptr::{null, null_mut};

#[repr(C)]
struct Translator {
    _opaque: [u8; 0],
}
#[repr(C)]
struct Translations {
    _opaque: [u8; 0],
}
#[repr(C)]
struct Options {
    _opaque: [u8; 0],
}

#[link(name = "dietmt")]
extern "C" {
    fn dietmt_last_error() -> *const c_char;
    fn dietmt_load(
        model: *const c_char,
        options: *const Options,
        translator: *mut *mut Translator,
    ) -> c_int;
    fn dietmt_free(translator: *mut Translator);
    fn dietmt_translate(
        translator: *const Translator,
        lines: *const *const c_char,
        count: usize,
        options: *const Options,
        result: *mut *mut Translations,
    ) -> c_int;
    fn dietmt_text(result: *const Translations, line: usize, hypothesis: usize) -> *const c_char;
    fn dietmt_translations_free(result: *mut Translations);
}

/// A loaded model.
struct Model(*mut Translator);

fn checked(status: c_int) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let message = unsafe { CStr::from_ptr(dietmt_last_error()) };
    Err(message.to_string_lossy().into_owned())
}

impl Model {
    fn load(directory: &str) -> Result<Model, String> {
        let name = CString::new(directory).map_err(|error| error.to_string())?;
        let mut translator = null_mut();
        checked(unsafe { dietmt_load(name.as_ptr(), null(), &mut translator) })?;
        Ok(Model(translator))
    }

    fn translate(&self, lines: &[String]) -> Result<Vec<String>, String> {
        let texts: Vec<CString> = lines
            .iter()
            .map(|line| CString::new(line.as_str()).map_err(|error| error.to_string()))
            .collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let mut result = null_mut();
        checked(unsafe {
            dietmt_translate(self.0, pointers.as_ptr(), pointers.len(), null(), &mut result)
        })?;
        let translations = (0..lines.len())
            .map(|line| unsafe { CStr::from_ptr(dietmt_text(result, line, 0)) })
            .map(|text| text.to_string_lossy().into_owned())
            .collect();
        unsafe { dietmt_translations_free(result) };
        Ok(translations)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        unsafe { dietmt_free(self.0) };
    }
}

fn main() {
    let Some(directory) = std::env::args().nth(1) else {
        eprintln!("usage: example MODEL <INPUT >OUTPUT");
        std::process::exit(2);
    };
    let lines: Vec<String> = std::io::stdin().lock().lines().map_while(Result::ok).collect();
    match Model::load(&directory).and_then(|model| model.translate(&lines)) {
        Ok(translations) => translations.iter().for_each(|text| println!("{text}")),
        Err(message) => {
            eprintln!("example: {message}");
            std::process::exit(1);
        }
    }
}
