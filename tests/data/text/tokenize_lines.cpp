// Prints the pieces of every line of standard input as id:begin:end, for comparison with other
// tokenizers: tokenize_lines MODEL < TEXT
#include <cstdio>

#include "common/error.h"
#include "common/text_io.h"
#include "data/text/bert_tokenizer.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: tokenize_lines MODEL < TEXT\n");
    return 2;
  }
  try {
    const auto tokenizer = dietmt::data::load_bert_tokenizer(argv[1]);
    dietmt::LineReader reader("-");
    for (std::string line; reader.next(line);) {
      const dietmt::data::TextPieces pieces = tokenizer->encode(line);
      for (size_t i = 0; i < pieces.ids.size(); ++i) {
        std::printf("%s%d:%d:%d", i == 0 ? "" : " ", pieces.ids[i], pieces.begins[i],
                    pieces.ends[i]);
      }
      std::printf("\n");
    }
  } catch (const dietmt::Error& error) {
    std::fprintf(stderr, "tokenize_lines: %s\n", error.what());
    return 1;
  }
  return 0;
}
