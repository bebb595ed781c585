/* Translates standard input line by line: example MODEL <text.en >text.de
 *
 *   cc example.c $(pkg-config --cflags --libs dietmt) -o example */
#include <dietmt/c.h>
#include <stdio.h>
#include <string.h>

static const char* next_line(void* data) {
  static char line[65536];
  (void)data;
  if (fgets(line, sizeof line, stdin) == NULL) return NULL;
  line[strcspn(line, "\n")] = '\0';
  return line;
}

static int failed(void) {
  fprintf(stderr, "example: %s\n", dietmt_last_error());
  return 1;
}

int main(int argc, char** argv) {
  dietmt_translator* translator;
  dietmt_stream* stream;
  dietmt_translations* translations;
  if (argc != 2) {
    fputs("usage: example MODEL <INPUT >OUTPUT\n", stderr);
    return 2;
  }
  if (dietmt_load(argv[1], NULL, &translator) != DIETMT_OK) return failed();
  if (dietmt_stream_open(translator, next_line, NULL, NULL, 0, &stream) != DIETMT_OK)
    return failed();
  for (;;) {
    if (dietmt_stream_next(stream, &translations) != DIETMT_OK) return failed();
    if (translations == NULL) break;
    puts(dietmt_text(translations, 0, 0));
    dietmt_translations_free(translations);
  }
  dietmt_stream_free(stream);
  dietmt_free(translator);
  return 0;
}
