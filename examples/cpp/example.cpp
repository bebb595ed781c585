// Translates standard input line by line: example MODEL <text.en >text.de
#include <dietmt/messages.h>
#include <dietmt/translator.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: example MODEL <INPUT >OUTPUT\n";
    return 2;
  }
  dietmt::log_to_stderr();
  try {
    const dietmt::Translator translator(argv[1]);
    dietmt::TranslationStream stream = translator.stream(
        [](std::string& line, std::string&) { return bool(std::getline(std::cin, line)); });
    while (const auto translation = stream.next()) std::cout << translation->text() << '\n';
  } catch (const dietmt::Exception& error) {
    std::cerr << "example: " << error.what() << '\n';
    return 1;
  }
}
