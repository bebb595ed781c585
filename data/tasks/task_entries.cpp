// The entries of the table of tasks, one function each.
#include <utility>

#include "data/tasks/task_table.h"

namespace dietmt::data {
namespace {

const std::vector<std::string> kYesNo = {"0", "1"};
const std::vector<std::string> kEntailment = {"entailment", "not_entailment"};
const std::vector<std::string> kInference = {"contradiction", "entailment", "neutral"};

Target classes(const std::vector<std::string>& labels) {
  return {.kind = TaskKind::kClassification, .labels = labels};
}

// The splits of a GLUE task whose predictions go to `submission`.
std::vector<TaskSplit> glue_splits(const std::string& submission) {
  return {{.name = "train", .file = "train.tsv"},
          {.name = "dev", .file = "dev.tsv"},
          {.name = "test", .file = "test.tsv", .labelled = false, .submission = submission}};
}

TableLayout with_header(const std::string& first, const std::string& second,
                        const std::string& label) {
  return {.first = first, .second = second, .label = label, .id = "index"};
}

Task cola() {
  return {.name = "CoLA",
          .description = "is a sentence acceptable",
          .target = classes(kYesNo),
          .metrics = {"matthews"},
          // The heading of their table says accuracy, its caption GLUE's metrics.
          .wang_metrics = {"matthews"},
          .epochs = 10,
          .splits = glue_splits("CoLA.tsv"),
          .layouts = {
              with_header("sentence", "", "label"),
              {.header = false, .min_columns = 4, .max_columns = 4, .first = "4", .label = "2"}}};
}

Task sst2() {
  return {.name = "SST-2",
          .description = "is a piece of a film review positive",
          .target = classes(kYesNo),
          .metrics = {"accuracy"},
          .wang_metrics = {"accuracy"},
          .epochs = 10,
          .splits = glue_splits("SST-2.tsv"),
          .layouts = {with_header("sentence", "", "label")}};
}

// The original msr_paraphrase_*.txt have the same header.
Task mrpc() {
  return {.name = "MRPC",
          .description = "are two sentences paraphrases",
          .target = classes(kYesNo),
          .metrics = {"accuracy", "f1"},
          .wang_metrics = {"f1"},
          .epochs = 10,
          .splits = glue_splits("MRPC.tsv"),
          .layouts = {with_header("#1 String", "#2 String", "Quality")}};
}

// The original sts-*.csv have no header, and in some rows two sources at the end.
Task stsb() {
  return {.name = "STS-B",
          .description = "how similar are two sentences, 0 to 5",
          .target = {.kind = TaskKind::kRegression, .lowest = 0.0, .highest = 5.0},
          .metrics = {"pearson", "spearman"},
          .wang_metrics = {"spearman"},
          .epochs = 10,
          .splits = glue_splits("STS-B.tsv"),
          .layouts = {with_header("sentence1", "sentence2", "score"),
                      {.header = false,
                       .min_columns = 7,
                       .max_columns = 9,
                       .first = "6",
                       .second = "7",
                       .label = "5"}}};
}

// GLUE's files have questions with line ends, which break their rows. The second layout is that of
// splits which course exercises use.
Task qqp() {
  TableLayout glue = with_header("question1", "question2", "is_duplicate");
  glue.id = "id";
  glue.skips_malformed = true;
  TableLayout exercise = with_header("sentence1", "sentence2", "is_duplicate");
  exercise.format = RecordFormat::kQuotedTsv;
  exercise.id = "id";
  exercise.label_texts = {"0.0", "1.0"};
  exercise.unlabelled = {""};
  return {.name = "QQP",
          .description = "do two questions ask the same",
          .target = classes(kYesNo),
          .metrics = {"accuracy", "f1"},
          .wang_metrics = {"f1"},
          .splits = glue_splits("QQP.tsv"),
          .layouts = {glue, exercise}};
}

// Pairs on whose label the annotators did not agree have "-" in the original release.
TableLayout inference_layout() {
  TableLayout layout = with_header("sentence1", "sentence2", "gold_label");
  layout.unlabelled = {"-"};
  return layout;
}

Task mnli() {
  return {.name = "MNLI",
          .description = "does a sentence follow from another, contradict it, or neither",
          .target = classes(kInference),
          .metrics = {"accuracy"},
          .wang_metrics = {"accuracy_mismatched"},
          .splits = {{.name = "train", .file = "train.tsv"},
                     {.name = "dev", .file = "dev_matched.tsv"},
                     {.name = "dev_mismatched", .file = "dev_mismatched.tsv"},
                     {.name = "test",
                      .file = "test_matched.tsv",
                      .labelled = false,
                      .submission = "MNLI-m.tsv"},
                     {.name = "test_mismatched",
                      .file = "test_mismatched.tsv",
                      .labelled = false,
                      .submission = "MNLI-mm.tsv"}},
          .layouts = {inference_layout()}};
}

Task qnli() {
  return {.name = "QNLI",
          .description = "does a sentence answer a question",
          .target = classes(kEntailment),
          .metrics = {"accuracy"},
          .wang_metrics = {"accuracy"},
          .splits = glue_splits("QNLI.tsv"),
          .layouts = {with_header("question", "sentence", "label")}};
}

Task rte() {
  return {.name = "RTE",
          .description = "does a sentence follow from another",
          .target = classes(kEntailment),
          .metrics = {"accuracy"},
          .wang_metrics = {"accuracy"},
          .epochs = 10,
          .splits = glue_splits("RTE.tsv"),
          .layouts = {with_header("sentence1", "sentence2", "label")}};
}

Task wnli() {
  return {.name = "WNLI",
          .description = "does a sentence with a pronoun replaced follow",
          .target = classes(kYesNo),
          .metrics = {"accuracy"},
          .wang_metrics = {"accuracy"},
          .splits = glue_splits("WNLI.tsv"),
          .layouts = {with_header("sentence1", "sentence2", "label")}};
}

// Layouts: xnli.{dev,test}.tsv and MNLI's own; the translations of MNLI's training set; a file of
// one language with its code in the header; XTREME's files without header.
Task xnli() {
  TableLayout official = inference_layout();
  official.id = "pairID";
  official.language = "language";
  TableLayout translated = with_header("premise", "hypo", "label");
  translated.label_texts = {"contradictory", "entailment", "neutral"};
  return {.name = "XNLI",
          .description = "MNLI in fifteen languages; trained on English",
          .target = classes(kInference),
          .metrics = {"accuracy"},
          .languages = {"ar", "bg", "de", "el", "en", "es", "fr", "hi", "ru", "sw", "th", "tr",
                        "ur", "vi", "zh"},
          .splits = {{.name = "train", .file = "multinli.train.en.tsv"},
                     {.name = "dev", .file = "xnli.dev.tsv"},
                     {.name = "test", .file = "xnli.test.tsv"}},
          .layouts = {official,
                      inference_layout(),
                      translated,
                      with_header("sentence1_{language}", "sentence2_{language}", "label"),
                      {.header = false,
                       .min_columns = 3,
                       .max_columns = 3,
                       .first = "1",
                       .second = "2",
                       .label = "3"}}};
}

// Files of the release, in a directory for each language, and XTREME's without header.
Task pawsx() {
  TableLayout official = with_header("sentence1", "sentence2", "label");
  official.id = "id";
  return {.name = "PAWS-X",
          .description = "are two sentences paraphrases, in seven languages; trained on English",
          .target = classes(kYesNo),
          .metrics = {"accuracy"},
          .languages = {"de", "en", "es", "fr", "ja", "ko", "zh"},
          .splits = {{.name = "train", .file = "en/train.tsv"},
                     {.name = "dev", .file = "{language}/dev_2k.tsv"},
                     {.name = "test", .file = "{language}/test_2k.tsv"}},
          .layouts = {official,
                      {.header = false,
                       .min_columns = 3,
                       .max_columns = 3,
                       .first = "1",
                       .second = "2",
                       .label = "3"}}};
}

Task spans(const std::string& name, const std::string& description, std::vector<TaskSplit> splits) {
  return {.name = name,
          .description = description,
          .target = {.kind = TaskKind::kSpan},
          .metrics = {"f1", "exact_match"},
          .epochs = 3,
          .splits = std::move(splits)};
}

Task squad1() {
  Task task = spans("SQuAD1.1", "the span of a paragraph that answers a question",
                    {{.name = "train", .file = "train-v1.1.json"},
                     {.name = "dev", .file = "dev-v1.1.json", .submission = "predictions.json"}});
  task.wang_metrics = {"exact_match", "f1"};
  return task;
}

Task squad2() {
  Task task = spans("SQuAD2.0", "the same, with questions that have no answer",
                    {{.name = "train", .file = "train-v2.0.json"},
                     {.name = "dev", .file = "dev-v2.0.json", .submission = "predictions.json"}});
  task.wang_metrics = {"exact_match", "f1"};
  task.has_unanswerable = true;
  return task;
}

Task xquad() {
  Task task = spans("XQuAD", "SQuAD in twelve languages; trained on SQuAD 1.1",
                    {{.name = "train", .file = "train-v1.1.json"},
                     {.name = "test", .file = "xquad.{language}.json"}});
  task.languages = {"ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh"};
  return task;
}

Task mlqa() {
  Task task = spans("MLQA", "questions on Wikipedia in seven languages; trained on SQuAD 1.1",
                    {{.name = "train", .file = "train-v1.1.json"},
                     {.name = "dev", .file = "dev-context-{language}-question-{language}.json"},
                     {.name = "test", .file = "test-context-{language}-question-{language}.json"}});
  task.languages = {"ar", "de", "en", "es", "hi", "vi", "zh"};
  return task;
}

// Its files spell the languages out.
Task tydiqa() {
  Task task = spans("TyDiQA-GoldP", "questions and their paragraph in nine languages",
                    {{.name = "train", .file = "tydiqa-goldp-v1.1-train.json"},
                     {.name = "dev", .file = "tydiqa-goldp-dev-{language}.json"}});
  task.languages = {"arabic", "bengali", "english", "finnish", "indonesian",
                    "korean", "russian", "swahili", "telugu"};
  return task;
}

// Files and epochs of XTREME's scripts, which write its test files without tags.
Task tagging(const std::string& name, const std::string& description,
             const std::vector<std::string>& labels, const std::vector<std::string>& languages) {
  return {.name = name,
          .description = description,
          .target = {.kind = TaskKind::kTags, .labels = labels},
          .metrics = {"f1", "accuracy"},
          .epochs = 10,
          .languages = languages,
          .splits = {{.name = "train", .file = "train-en.tsv"},
                     {.name = "dev", .file = "dev-{language}.tsv"},
                     {.name = "test",
                      .file = "test-{language}.tsv",
                      .labelled = false,
                      .submission = "test-{language}.tsv"}}};
}

// The tags of Universal Dependencies; some treebanks also have "_".
Task udpos() {
  return tagging("UD-POS", "parts of speech in 38 languages; trained on English",
                 {"ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
                  "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X", "_"},
                 {"af", "ar", "bg", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "he",
                  "hi", "hu", "id", "it", "ja", "kk", "ko", "lt", "mr", "nl", "pl", "pt", "ro",
                  "ru", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "wo", "yo", "zh"});
}

Task panx() {
  return tagging("PANX", "names of people, places and organisations in 48 languages (WikiAnn)",
                 {"B-LOC", "B-ORG", "B-PER", "I-LOC", "I-ORG", "I-PER", "O"},
                 {"af", "ar", "az", "bg", "bn", "de", "el", "en", "es", "et", "eu", "fa",
                  "fi", "fr", "gu", "he", "hi", "hu", "id", "it", "ja", "jv", "ka", "kk",
                  "ko", "lt", "ml", "mr", "ms", "my", "nl", "pa", "pl", "pt", "qu", "ro",
                  "ru", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur", "vi", "yo", "zh"});
}

}  // namespace

const std::vector<Task>& tasks() {
  static const std::vector<Task> kTasks = {cola(),   sst2(),  mrpc(), stsb(),   qqp(),   mnli(),
                                           qnli(),   rte(),   wnli(), xnli(),   pawsx(), squad1(),
                                           squad2(), xquad(), mlqa(), tydiqa(), udpos(), panx()};
  return kTasks;
}

}  // namespace dietmt::data
