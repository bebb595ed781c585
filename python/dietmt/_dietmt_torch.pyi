from dietmt._dietmt import LineStream as LineStream, Translator as Translator
