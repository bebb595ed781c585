// Splits each line of standard input into sentences, for bench/splitter_f1.py:
// split_sentences LANGUAGE <TEXT. Writes one sentence a line and an empty line after each input
// line, and to standard error the seconds that splitting took.

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "data/text/sentence_splitter.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> time{};
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto begin = Clock::now();
    const dietmt::data::SplitText split = dietmt::data::split_sentences(line, argv[1]);
    time += Clock::now() - begin;
    for (const auto& piece : split.pieces) std::cout << piece.sentence << '\n';
    std::cout << '\n';
  }
  std::cerr << time.count() << '\n';
}
