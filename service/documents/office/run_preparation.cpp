#include "service/documents/office/run_preparation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

constexpr const char* kUnit = "dietmt-unit";

// An element with the same attributes, inserted before another.
xmlNode* added_shell(xmlNode* original, xmlNode* before) {
  xmlNode* const shell = copied(original, Copy::kWithoutContent);
  xmlAddPrevSibling(before, shell);
  drop_repeated_namespaces(shell);
  return shell;
}

void move_into(xmlNode* parent, xmlNode* child) {
  xmlUnlinkNode(child);
  xmlAddChild(parent, child);
}

// Elements around runs that label the words.
bool is_label(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kLabels = {"smartTag", "customXml"};
  return is_among(element_name(node), kLabels);
}

bool has_content(const xmlNode* run) {
  return std::ranges::any_of(elements_in(run),
                             [](const xmlNode* node) { return element_name(node) != "rPr"; });
}

// Moves the content of a label before a node, without first moving labels inside it.
void move_content(xmlNode* label, xmlNode* before) {
  for (xmlNode* const child : elements_in(label)) {
    if (element_name(child).ends_with("Pr")) continue;  // properties of the label
    if (is_label(child)) {
      move_content(child, before);
      continue;
    }
    xmlUnlinkNode(child);
    xmlAddPrevSibling(before, child);
    xmlReconciliateNs(child->doc, child);
  }
}

// A field of Word whose runs are in one element.
struct Field {
  xmlNode* first = nullptr;
  std::string instruction;
};

class FieldFinder {
 public:
  explicit FieldFinder(std::vector<xmlNode*>& units) : units_(units) {}

  void pass(xmlNode* run) {
    if (element_name(run) != "r") return;
    bool has_text = false;  // outside the field
    bool ends = false;
    for (const xmlNode* const child : elements_in(run)) {
      const std::string_view name = element_name(child);
      if (name == "instrText" && depth_ == 1) field_.instruction += content_of(child);
      if (name == "t" && depth_ == 0) has_text = true;
      if (name != "fldChar") continue;
      const std::string type = attribute(child, "fldCharType");
      if (type == "begin" && depth_++ == 0) field_ = {run, ""};
      if (type == "end" && depth_ > 0) ends = --depth_ == 0;
    }
    if (has_text && depth_ > 0 && field_.first == run) field_.first = nullptr;
    if (ends && depth_ == 0 && !has_text && field_.first != nullptr &&
        !has_text_result(field_.instruction))
      wrap(run);
  }

 private:
  void wrap(xmlNode* last) {
    xmlNode* const unit =
        xmlNewDocNode(last->doc, nullptr, reinterpret_cast<const xmlChar*>(kUnit), nullptr);
    xmlAddPrevSibling(field_.first, unit);
    for (xmlNode* node = field_.first; node != nullptr;) {
      xmlNode* const next = node == last ? nullptr : node->next;
      xmlUnlinkNode(node);
      xmlAddChild(unit, node);
      node = next;
    }
    units_.push_back(unit);
  }

  std::vector<xmlNode*>& units_;
  Field field_;
  int depth_ = 0;
};

}  // namespace

std::vector<xmlNode*> elements_in(const xmlNode* node) {
  std::vector<xmlNode*> elements;
  for (xmlNode* child = node->children; child != nullptr; child = child->next)
    if (!element_name(child).empty()) elements.push_back(child);
  return elements;
}

void prepare_runs(xmlNode* parent, std::vector<xmlNode*>& units) {
  for (xmlNode* const node : elements_in(parent)) {
    const std::string_view name = element_name(node);
    if (name == "softHyphen" || name == "rPh") {
      discard(node);
    } else if (name == "noBreakHyphen") {
      xmlNodeSetName(node, reinterpret_cast<const xmlChar*>("t"));
      set_content(node, "\u2011");
    } else if (!is_paragraph(node) && !is_formula(node) && !is_deletion(node) && !is_leaf(node)) {
      const bool is_full = has_content(node);
      prepare_runs(node, units);
      if (name == "r" && is_full && !has_content(node)) {
        discard(node);  // it was a hyphen
        continue;
      }
      if (!is_label(node) || is_label(parent)) continue;
      move_content(node, node);
      discard(node);
    }
  }
  FieldFinder fields(units);
  for (xmlNode* const node : elements_in(parent)) fields.pass(node);
}

std::vector<xmlNode*> split_run(xmlNode* run) {
  std::vector<xmlNode*> content = elements_in(run);
  xmlNode* properties = nullptr;
  if (!content.empty() && element_name(content.front()) == "rPr") {
    properties = content.front();
    content.erase(content.begin());
  }
  std::erase_if(content, [](const xmlNode* node) { return is_ignored(node); });
  const bool has_reference = std::ranges::any_of(content, is_reference);
  const bool is_known = std::ranges::all_of(
      content, [](const xmlNode* node) { return is_reference(node) || element_name(node) == "t"; });
  std::vector<xmlNode*> runs = {run};
  if (content.size() < 2 || !has_reference || !is_known) return runs;
  runs.clear();
  for (xmlNode* const node : content) {
    runs.push_back(added_shell(run, run));
    if (properties != nullptr) {
      xmlNode* const copy = copied(properties, Copy::kWhole);
      xmlAddChild(runs.back(), copy);
      drop_repeated_namespaces(copy);
    }
    move_into(runs.back(), node);
  }
  discard(run);
  return runs;
}

std::vector<xmlNode*> split_insertion(xmlNode* insertion) {
  for (xmlNode* const child : elements_in(insertion))
    if (element_name(child) == "r") split_run(child);
  const std::vector<xmlNode*> content = elements_in(insertion);
  const bool is_known = std::ranges::all_of(content, [](const xmlNode* node) {
    return element_name(node) == "r" || element_name(node) == "proofErr" || is_mark(node) ||
           is_deletion(node);
  });
  if (!is_known || content.empty()) return {};
  if (content.size() == 1 && !is_mark(content.front())) return {insertion};
  std::vector<xmlNode*> parts;
  for (xmlNode* const node : content) {
    if (is_mark(node)) {
      xmlUnlinkNode(node);
      xmlAddPrevSibling(insertion, node);
      parts.push_back(node);
    } else {
      parts.push_back(added_shell(insertion, insertion));
      move_into(parts.back(), node);
    }
  }
  discard(insertion);
  return parts;
}

bool is_ignored(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kIgnored = {"proofErr", "lastRenderedPageBreak"};
  return is_among(element_name(node), kIgnored);
}

bool is_mark(const xmlNode* node) {
  constexpr std::array<std::string_view, 11> kMarks = {"bookmarkStart",
                                                       "bookmarkEnd",
                                                       "commentRangeStart",
                                                       "commentRangeEnd",
                                                       "permStart",
                                                       "permEnd",
                                                       "moveFromRangeStart",
                                                       "moveFromRangeEnd",
                                                       "moveToRangeStart",
                                                       "moveToRangeEnd",
                                                       "fld"};
  return is_among(element_name(node), kMarks) || element_name(node) == kUnit ||
         (element_name(node) == "fldSimple" && !has_text_result(attribute(node, "instr")));
}

bool is_paragraph(const xmlNode* node) {
  constexpr std::array<std::string_view, 4> kParagraphs = {"p", "si", "is", "text"};
  return is_among(element_name(node), kParagraphs);
}

bool is_leaf(const xmlNode* node) {
  const std::string_view name = element_name(node);
  const bool is_text =
      name == "t" && (element_name(node->parent) == "r" || is_paragraph(node->parent));
  return is_text || name == "rPr" || is_ignored(node);
}

bool is_reference(const xmlNode* node) {
  constexpr std::array<std::string_view, 6> kReferences = {"footnoteReference", "endnoteReference",
                                                           "commentReference",  "footnoteRef",
                                                           "endnoteRef",        "annotationRef"};
  return is_among(element_name(node), kReferences);
}

bool has_text_result(const std::string& instruction) {
  constexpr std::array<std::string_view, 14> kTexts = {
      "COMMENTS", "DOCPROPERTY", "DOCVARIABLE", "FORMTEXT", "HYPERLINK", "IF",    "INCLUDETEXT",
      "INDEX",    "QUOTE",       "REF",         "STYLEREF", "SUBJECT",   "TITLE", "TOC"};
  constexpr const char* kSpaces = " \t\r\n";
  const size_t begin = std::min(instruction.find_first_not_of(kSpaces), instruction.size());
  std::string name = instruction.substr(begin, instruction.find_first_of(kSpaces, begin) - begin);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return is_among(name, kTexts);
}

bool is_formula(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kFormulas = {"oMath", "oMathPara"};
  return is_among(element_name(node), kFormulas);
}

bool is_deletion(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kDeletions = {"del", "moveFrom"};
  return is_among(element_name(node), kDeletions);
}

}  // namespace dietmt::service
