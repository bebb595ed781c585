/* The stable interface of libdietmt.so for C and for languages that call C. Programs built against
 * this header run with every later libdietmt.so of the same major version.
 *
 *   dietmt_translator* translator;
 *   dietmt_translations* result;
 *   const char* lines[] = {"Good morning."};
 *   if (dietmt_load("model", NULL, &translator) != DIETMT_OK ||
 *       dietmt_translate(translator, lines, 1, NULL, &result) != DIETMT_OK)
 *     return fprintf(stderr, "%s\n", dietmt_last_error());
 *   puts(dietmt_text(result, 0, 0));
 *   dietmt_translations_free(result);
 *   dietmt_free(translator);
 *
 * Text is UTF-8. Threads may share a translator, and options that no thread changes. The other
 * objects are for one thread at a time. A *_free function takes NULL, too. Strings that functions
 * return live as long as the object they come from. */
#ifndef DIETMT_C_H
#define DIETMT_C_H

#include <stddef.h>

#define DIETMT_C_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dietmt_status {
  DIETMT_OK = 0,
  DIETMT_FAILED = 1,   /* any other failure */
  DIETMT_USAGE = 2,    /* a wrong option or combination, or a null pointer */
  DIETMT_INPUT = 3,    /* bad text or file, lists of unequal length */
  DIETMT_MODEL = 4,    /* a model that cannot be read, or has no packed weights */
  DIETMT_CANCELLED = 5 /* dietmt_options_cancel() was called */
} dietmt_status;

typedef struct dietmt_options dietmt_options;
typedef struct dietmt_translator dietmt_translator;
typedef struct dietmt_translations dietmt_translations;
typedef struct dietmt_stream dietmt_stream;

/* What was wrong in the last call of this thread that did not return DIETMT_OK. Lives until the
 * next such call. */
DIETMT_C_API const char* dietmt_last_error(void);

/* ---- options ---- */

DIETMT_C_API dietmt_options* dietmt_options_new(void);
DIETMT_C_API void dietmt_options_free(dietmt_options* options);

/* Names and values are those of TranslatorOptions, which dietmt_load() reads, and TranslateOptions,
 * which the others read (dietmt/translator.h, nmt/search/search_options.def): "beam" and "8",
 * "sample" and "true", "target_language" and "de". Not alignment and check, whose results C does
 * not read, and lists, for which the two functions below are. Ranges are checked by the call that
 * uses the options. */
DIETMT_C_API dietmt_status dietmt_options_set(dietmt_options* options, const char* name,
                                              const char* value);

/* A term of the glossary. */
DIETMT_C_API dietmt_status dietmt_options_add_term(dietmt_options* options, const char* source,
                                                   const char* target);
/* A word or phrase that no translation may contain. */
DIETMT_C_API dietmt_status dietmt_options_add_avoided(dietmt_options* options, const char* text);

/* From any thread: running calls with these options end with DIETMT_CANCELLED within about half a
 * second, and so do later ones. */
DIETMT_C_API void dietmt_options_cancel(dietmt_options* options);

/* ---- models ---- */

/* `model`: a directory of `dietmt quantize`, or several with the same vocabulary, separated by
 * commas. `options` may be NULL here and below. */
DIETMT_C_API dietmt_status dietmt_load(const char* model, const dietmt_options* options,
                                       dietmt_translator** translator);
/* Reads the model again. Running calls finish with the old weights, which stay if reading fails. */
DIETMT_C_API dietmt_status dietmt_reload(dietmt_translator* translator);
DIETMT_C_API void dietmt_free(dietmt_translator* translator);

/* ---- translation ---- */

/* `lines`: `count` strings. */
DIETMT_C_API dietmt_status dietmt_translate(const dietmt_translator* translator,
                                            const char* const* lines, size_t count,
                                            const dietmt_options* options,
                                            dietmt_translations** result);

/* log p(target | source) of given translations: each is the only hypothesis of its line. */
DIETMT_C_API dietmt_status dietmt_score(const dietmt_translator* translator,
                                        const char* const* sources, const char* const* targets,
                                        size_t count, const dietmt_options* options,
                                        dietmt_translations** result);

/* Returns the next line, which must live until the next call, or NULL at the end. Called by
 * dietmt_stream_next(), on its thread. */
typedef const char* (*dietmt_next_line)(void* data);

/* Translates any number of lines while they are read. `line_by_line`: not 0 to translate each line
 * as it arrives. The stream may outlive the translator, but not the options. */
DIETMT_C_API dietmt_status dietmt_stream_open(const dietmt_translator* translator,
                                              dietmt_next_line next_line, void* data,
                                              const dietmt_options* options, int line_by_line,
                                              dietmt_stream** stream);
/* The translation of the next line, or NULL in *result at the end. */
DIETMT_C_API dietmt_status dietmt_stream_next(dietmt_stream* stream, dietmt_translations** result);
DIETMT_C_API void dietmt_stream_free(dietmt_stream* stream);

/* ---- results: lines and hypotheses are counted from 0, the best hypothesis is 0 ---- */

DIETMT_C_API size_t dietmt_line_count(const dietmt_translations* result);
DIETMT_C_API size_t dietmt_hypothesis_count(const dietmt_translations* result, size_t line);

/* Past the end: NULL, NaN or 0. */
DIETMT_C_API const char* dietmt_text(const dietmt_translations* result, size_t line,
                                     size_t hypothesis);
DIETMT_C_API double dietmt_hypothesis_score(const dietmt_translations* result, size_t line,
                                            size_t hypothesis);
DIETMT_C_API size_t dietmt_token_count(const dietmt_translations* result, size_t line,
                                       size_t hypothesis);
DIETMT_C_API const char* dietmt_token(const dietmt_translations* result, size_t line,
                                      size_t hypothesis, size_t token);
/* The log-probability of the token. */
DIETMT_C_API double dietmt_token_score(const dietmt_translations* result, size_t line,
                                       size_t hypothesis, size_t token);
/* What the option `guard` found, such as "repeats itself"; "" if nothing. */
DIETMT_C_API const char* dietmt_problem(const dietmt_translations* result, size_t line);
/* 1 if the line or a sentence of it was longer than max_source_length, else 0. */
DIETMT_C_API int dietmt_truncated(const dietmt_translations* result, size_t line);

DIETMT_C_API void dietmt_translations_free(dietmt_translations* result);

#ifdef __cplusplus
}
#endif

#endif
