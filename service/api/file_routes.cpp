// /translate_file and /download_file, as in LibreTranslate's protocol: a document in one request.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/text_io.h"
#include "data/text/copy_check.h"
#include "service/api/fields.h"
#include "service/api/service_context.h"
#include "service/api/text_translator.h"
#include "service/api/translation_api.h"
#include "service/documents/kinds/document_turn.h"
#include "service/documents/placeholders.h"
#include "service/http/form_reader.h"
#include "service/scheduling/scheduling_errors.h"

namespace dietmt::service {
namespace {

struct Upload {
  std::string name;
  std::string bytes;
  Pairs fields;  // the other parts of the form
};

Upload read_upload(const Call& call) {
  if (!is_form(call.request->head))
    throw HttpError(415, "the body must be multipart/form-data, not '" + call.content_type + "'");
  Upload upload;
  bool has_file = false;
  const auto begin = [&](const FormPart& part) {
    if (part.name != "file") return PartUse::kKeep;
    has_file = true;
    upload.name = part.file_name;
    return PartUse::kPass;
  };
  upload.fields =
      read_form(*call.request, call.request->body->size(),
                {.begin = begin, .append = [&](std::string_view bytes) { upload.bytes += bytes; }});
  if (!has_file) throw HttpError::of_option("file", "Invalid request: missing file parameter");
  return upload;
}

DocumentKind kind_of(const Upload& upload) {
  if (const auto kind = kind_of_file(upload.name)) return *kind;
  std::string known;
  for (const std::string& extension : document_extensions())
    known += (known.empty() ? "" : ", ") + extension;
  throw HttpError::of_option(
      "file", "file: the name must end in one of " + known + "; plain text: rename it to .txt");
}

std::string advice(const ServiceContext& service) {
  return large_file_advice(!service.job_extensions.empty());
}

// Gives `use` the document. It is not open while its segments are translated.
template <typename Use>
auto with_document(DocumentKind kind, const std::string& bytes, const DocumentOptions& options,
                   ServiceContext& service, const Patience& patience, Use use) {
  constexpr DocumentLimits kLimits{.bytes = size_t{8} << 20, .nodes = 200'000};
  const DocumentTurn turn(service.documents, kind, bytes.size(), patience);
  try {
    return use(*open_document(kind, bytes, options, kLimits));
  } catch (const DocumentTooLargeError& error) {
    throw HttpError(413, std::string("file: ") + error.what() + ". " + advice(service));
  } catch (const DataError& error) {
    throw HttpError::of_option("file", std::string("file: ") + error.what());
  }
}

// The path prefix that a proxy added, such as "/mt", or "".
std::string path_prefix(const RequestHead& head) {
  std::string prefix = head.field("X-Forwarded-Prefix");
  while (prefix.ends_with('/')) prefix.pop_back();
  const bool is_path =
      prefix.starts_with('/') && !prefix.starts_with("//") &&
      std::all_of(prefix.begin(), prefix.end(), [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || std::strchr("/-._~", c) != nullptr);
      });
  return is_path ? prefix : "";
}

// The file's URL, with the host that the client used.
std::string download_url(const Call& call, const std::string& name, const ServiceContext& service) {
  const bool is_https = service.https || call.request->head.field("X-Forwarded-Proto") == "https";
  const std::string host = call.host.empty() ? "" : (is_https ? "https://" : "http://") + call.host;
  return host + path_prefix(call.request->head) + call.url_prefix + "/download_file/" + name;
}

// Warnings about glossary terms missing from translations.
std::set<std::string> glossary_warnings(const std::vector<nmt::MarkedText>& segments,
                                        const std::vector<Translation>& translations,
                                        const data::Glossary& glossary) {
  std::set<std::string> warnings;
  for (size_t i = 0; i < segments.size(); ++i) {
    for (const data::GlossaryTerm* term :
         data::missing_terms(glossary.find(segments[i].text), plain_text(translations[i])))
      warnings.insert("the glossary's term \"" + term->target_text() +
                      "\" is not in every translation");
  }
  return warnings;
}

std::string beginning(std::string text) {
  constexpr size_t kShownBytes = 60;
  if (text.size() <= kShownBytes) return "\"" + text + "\"";
  text.resize(cut_length(text, kShownBytes));
  return "\"" + text + "\"...";
}

// Warnings about numbers, addresses and names missing from translations.
std::set<std::string> copy_warnings(const std::vector<nmt::MarkedText>& segments,
                                    const std::vector<Translation>& translations) {
  std::set<std::string> warnings;
  for (size_t i = 0; i < segments.size(); ++i)
    for (const std::string& copy :
         data::missing_copies(segments[i].text, plain_text(translations[i])))
      warnings.insert("\"" + copy + "\" is not in the translation of " +
                      beginning(segments[i].text));
  return warnings;
}

void add_warnings_of(const TranslatedText& text, std::set<std::string>& warnings) {
  for (const TranslatedSentence& sentence : text.sentences) {
    if (sentence.guard.sign != nmt::Degeneration::kNone)
      warnings.insert(nmt::guard_warning(sentence.guard) + ": " + beginning(sentence.line.source));
    if (sentence.line.cut_tokens > 0)
      warnings.insert(cut_warning(sentence.line) + ": " + beginning(sentence.line.source));
  }
}

Answer address_answer(const std::string& url, const SegmentReport& report,
                      const std::set<std::string>& warnings) {
  nlohmann::ordered_json body{{"translatedFileUrl", url},
                              {"segments",
                               {{"translated", report.translated},
                                {"copied", report.copied},
                                {"refused", report.refused}}}};
  if (!warnings.empty()) body["warnings"] = warnings;
  return json_answer(body);
}

Answer translate_file(Call call, ServiceContext& service) {
  const Patience patience = service.patience(call, service.limits.deadline);
  Upload upload = read_upload(call);
  call.form = std::move(upload.fields);
  const Fields fields(call);
  const DocumentKind kind = kind_of(upload);
  std::string source = fields.text("source");
  const std::string target = fields.text("target");
  const bool is_auto = source == kDetect;
  if (is_auto && is_bilingual(kind))
    throw HttpError::of_option("source", "source: auto does not work for TMX and XLIFF");
  const DocumentOptions document_options{.source = source,
                                         .target = target,
                                         .fuzzy = fields.flag_or("fuzzy", true),
                                         .charset = fields.text_or("charset", ""),
                                         .columns = fields.text_or("columns", ""),
                                         .paragraphs = fields.flag_or("paragraphs", false)};
  std::set<std::string> warnings;
  const std::vector<nmt::MarkedText> segments = with_document(
      kind, upload.bytes, document_options, service, patience, [&](const Document& document) {
        if (!document.charset().empty())
          warnings.insert("the file is not UTF-8; it was read as " + document.charset());
        return document.segments();
      });
  const LanguagePairs& pairs = service.pairs;
  if (is_auto) source = pairs.detect_language(segments, pairs.sources_of(target)).code;
  service.check_characters(segments);

  const bool is_checked = checks_copies(fields);
  ModelPath path;  // empty: the texts stay as they are
  if (fields.has("model"))
    path = pairs.path_named(fields.text("model"), source, target);
  else if (!is_auto || pairs.has_path(source, target))
    path = pairs.path_of(source, target);
  else
    warnings.insert(unsupported_warning(source));
  const ServedPath models = acquire(service.models, path, patience);
  TextOptions options;
  if (!path.empty()) options.language = path.front()->source;
  options.document = true;
  options.line = {.languages = {.source_tag = source_tag(fields)},
                  .keep = kept_kinds(fields, service.limits),
                  .restores_case = restores_case(fields, service.limits)};
  if (!path.empty())
    options.glossary =
        service.glossaries->of_request(fields, service.owner_of(call), path, options.search);
  options.guard = service.limits.guard;
  const auto translate_lines = [&](const ConnectedTexts& lines) {
    options.only_context = lines.only_context;
    std::vector<Translation> translations;
    for (const TranslatedText& text : translate_texts(models, lines.texts, options, patience)) {
      translations.push_back(text.parts());
      add_warnings_of(text, warnings);
    }
    return translations;
  };
  const auto translate_marked = [&](const ConnectedTexts& lines) {
    options.markup = true;
    return translate_lines(lines);
  };
  const std::vector<Translation> translations =
      translate_keeping_placeholders(segments, translate_lines, translate_marked);
  SegmentReport report;
  std::string bytes = with_document(kind, upload.bytes, document_options, service, patience,
                                    [&](Document& document) {
                                      std::string written = document.translated(translations);
                                      for (const std::string& part : document.left_out())
                                        warnings.insert(part + " is not translated");
                                      report = report_of(document, translations);
                                      return written;
                                    });
  const std::string written = translated_name(upload.name, kind);
  const std::string extension = written.substr(written.rfind('.') + 1);
  const std::string name = service.files.add({std::move(bytes), media_type_of(kind)}, extension);
  if (options.glossary)
    warnings.merge(glossary_warnings(segments, translations, *options.glossary));
  if (is_checked) warnings.merge(copy_warnings(segments, translations));
  return address_answer(download_url(call, name, service), report, warnings);
}

Answer download_file(const Call& call, ServiceContext& service) {
  auto file = service.files.find(call.path_part);
  if (!file)
    throw HttpError(404, "there is no such file; a translated file is kept for 30 minutes");
  return {.body = std::move(file->bytes),
          .type = file->type,
          .headers = {{"Content-Disposition", "attachment; filename=\"" + call.path_part + "\""}}};
}

}  // namespace

void add_file_routes(Router& router, ServiceContext& service) {
  Route upload = {"POST", "/translate_file", [&](const Call& call) {
                    try {
                      return translate_file(call, service);
                    } catch (const DeadlineExceeded& late) {
                      throw HttpError(504, std::string(late.what()) + ". " + advice(service));
                    }
                  }};
  upload.is_upload = true;
  router.add(std::move(upload));
  router.add({"GET", "/download_file/{name}",
              [&](const Call& call) { return download_file(call, service); }, Key::kNone});
}

}  // namespace dietmt::service
