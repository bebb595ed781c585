#include "service/documents/word_paragraphs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// Elements without meaning for the text.
constexpr std::array<std::string_view, 2> kIgnored = {"proofErr", "lastRenderedPageBreak"};

// Elements between runs, and the starts and ends of ranges.
bool is_mark(const xmlNode* node) {
  constexpr std::array<std::string_view, 10> kMarks = {
      "bookmarkStart",    "bookmarkEnd",   "commentRangeStart",  "commentRangeEnd",
      "permStart",        "permEnd",       "moveFromRangeStart", "moveFromRangeEnd",
      "moveToRangeStart", "moveToRangeEnd"};
  return is_among(element_name(node), kMarks);
}

// Formulas, whose runs and texts have the same names as Word's.
bool is_formula(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kFormulas = {"oMath", "oMathPara"};
  return is_among(element_name(node), kFormulas);
}

// Elements around runs that label the words.
bool is_label(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kLabels = {"smartTag", "customXml"};
  return is_among(element_name(node), kLabels);
}

bool is_insertion(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kInsertions = {"ins", "moveTo"};
  return is_among(element_name(node), kInsertions);
}

bool is_deletion(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kDeletions = {"del", "moveFrom"};
  return is_among(element_name(node), kDeletions);
}

// Elements inside a run.
bool is_reference(const xmlNode* node) {
  constexpr std::array<std::string_view, 6> kReferences = {"footnoteReference", "endnoteReference",
                                                           "commentReference",  "footnoteRef",
                                                           "endnoteRef",        "annotationRef"};
  return is_among(element_name(node), kReferences);
}

// Equal for both ends of a range.
std::string range_of(const xmlNode* mark) {
  std::string name(element_name(mark));
  for (const std::string_view end : {"Start", "End"})
    if (name.ends_with(end))
      return name.substr(0, name.size() - end.size()) + attribute(mark, "id");
  return "";
}

std::vector<xmlNode*> children_of(const xmlNode* node) {
  std::vector<xmlNode*> children;
  for (xmlNode* child = node->children; child != nullptr; child = child->next)
    if (!element_name(child).empty()) children.push_back(child);
  return children;
}

// The formatting of a run without invisible properties: Word splits words into runs where the
// language or the spell-checking changes.
std::string style_of(const xmlNode* run) {
  constexpr std::array<std::string_view, 2> kInvisible = {"lang", "noProof"};
  std::string style;
  for (const xmlNode* child = run->children; child != nullptr; child = child->next) {
    if (element_name(child) != "rPr") continue;
    for (xmlNode* property = child->children; property != nullptr; property = property->next) {
      if (element_name(property).empty() || is_among(element_name(property), kInvisible)) continue;
      const std::unique_ptr<xmlBuffer, void (*)(xmlBuffer*)> text(xmlBufferCreate(), xmlBufferFree);
      xmlNodeDump(text.get(), property->doc, property, 0, 0);
      style += reinterpret_cast<const char*>(xmlBufferContent(text.get()));
    }
  }
  return style;
}

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

void discard(xmlNode* node) {
  xmlUnlinkNode(node);
  xmlFreeNode(node);
}

// Moves the content of a label before a node, without first moving labels inside it.
void move_content(xmlNode* label, xmlNode* before) {
  for (xmlNode* const child : children_of(label)) {
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

// Removes whatever splits words and sentences of a paragraph: labels and Word's hyphens.
void simplify(xmlNode* parent) {
  for (xmlNode* const node : children_of(parent)) {
    const std::string_view name = element_name(node);
    if (name == "softHyphen") {
      discard(node);
    } else if (name == "noBreakHyphen") {
      xmlNodeSetName(node, reinterpret_cast<const xmlChar*>("t"));
      set_content(node, "\u2011");
    } else if (name != "p" && !is_formula(node) && !is_deletion(node)) {
      simplify(node);
      if (!is_label(node) || is_label(parent)) continue;
      move_content(node, node);
      discard(node);
    }
  }
}

// Splits a run of texts and references to notes into runs that contain only one of them.
std::vector<xmlNode*> split_run(xmlNode* run) {
  std::vector<xmlNode*> content = children_of(run);
  xmlNode* properties = nullptr;
  if (!content.empty() && element_name(content.front()) == "rPr") {
    properties = content.front();
    content.erase(content.begin());
  }
  std::erase_if(content,
                [](const xmlNode* node) { return is_among(element_name(node), kIgnored); });
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

// Splits an insertion into insertions that contain one run or deletion, with the marks next to
// them; none if it contains anything else.
std::vector<xmlNode*> split_insertion(xmlNode* insertion) {
  for (xmlNode* const child : children_of(insertion))
    if (element_name(child) == "r") split_run(child);
  const std::vector<xmlNode*> content = children_of(insertion);
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

// `item`: the run, or the insertion around it.
void add_run(xmlNode* run, xmlNode* item, StyledSegments& segments) {
  const bool is_inserted = item != run;
  const std::string style =
      (is_inserted ? "inserted " + attribute(item, "id") + " " : "") + style_of(run);
  const std::vector<xmlNode*> content = children_of(run);
  const bool has_text =
      std::ranges::any_of(content, [](const xmlNode* node) { return element_name(node) == "t"; });
  // A tab or a break stays, and the texts around it belong to two segments.
  const bool has_only_text = std::ranges::all_of(content, [](const xmlNode* node) {
    const std::string_view name = element_name(node);
    return name == "t" || name == "rPr" || is_among(name, kIgnored);
  });
  for (xmlNode* const child : content) {
    const std::string_view name = element_name(child);
    if (name == "t") {
      // Spaces at the ends of a text count only with this attribute.
      xmlNodeSetSpacePreserve(child, 1);
      segments.add({child, item, style, has_only_text});
    } else if (is_reference(child) && !has_text) {
      segments.add_mark(item, "");
    } else if (name != "rPr" && !is_among(name, kIgnored)) {
      segments.end_segment();
    }
  }
}

void add_insertion(xmlNode* insertion, StyledSegments& segments) {
  const xmlNode* const content = children_of(insertion).front();
  if (element_name(content) == "r")
    add_run(children_of(insertion).front(), insertion, segments);
  else if (is_deletion(content))
    segments.add_mark(insertion, "");
}

void add_paragraph(xmlNode* paragraph, StyledSegments& segments) {
  simplify(paragraph);
  walk(paragraph, [&](xmlNode* node) {
    const std::string_view name = element_name(node);
    if (name.empty() || is_among(name, kIgnored)) return false;
    if (is_mark(node) || is_deletion(node) || is_formula(node)) {
      segments.add_mark(node, range_of(node));
      return false;
    }
    if (name == "r") {
      for (xmlNode* const run : split_run(node)) add_run(run, run, segments);
      return false;
    }
    if (is_insertion(node) && node->children != nullptr) {
      const std::vector<xmlNode*> parts = split_insertion(node);
      for (xmlNode* const part : parts) {
        if (is_mark(part))
          segments.add_mark(part, range_of(part));
        else
          add_insertion(part, segments);
      }
      if (!parts.empty()) return false;
    }
    segments.end_segment();
    return name != "pPr" && (name != "p" || node == paragraph);
  });
  segments.end_segment();
}

// A copy of a run with only this text.
xmlNode* copied_run(const xmlNode* original, const std::string& text) {
  xmlNode* const run = copied(original, Copy::kWithoutContent);
  xmlNode* kept = nullptr;
  for (xmlNode* const child : children_of(original)) {
    const bool is_text = element_name(child) == "t";
    if (kept != nullptr || (!is_text && element_name(child) != "rPr")) continue;
    xmlNode* const copy = copied(child, is_text ? Copy::kWithoutContent : Copy::kWhole);
    xmlAddChild(run, copy);
    drop_repeated_namespaces(copy);
    if (is_text) kept = copy;
  }
  set_content(kept, text);
  return run;
}

bool has_namespace_of(const xmlNode* node, const xmlNode* other) {
  return node->ns == other->ns || (node->ns != nullptr && other->ns != nullptr &&
                                   xmlStrEqual(node->ns->href, other->ns->href) != 0);
}

}  // namespace

xmlNode* copied_word_item(const StyledText& original, const std::string& text) {
  xmlNode* const run = copied_run(original.text->parent, text);
  if (original.item == original.text->parent) return run;
  xmlNode* const insertion = copied(original.item, Copy::kWithoutContent);
  xmlAddChild(insertion, run);
  drop_repeated_namespaces(run);
  return insertion;
}

// Skips the paragraphs of drawings, which have another format.
void add_word_text(xmlNode* root, StyledSegments& segments) {
  walk(root, [&](xmlNode* node) {
    if (element_name(node) == "p" && has_namespace_of(node, root)) add_paragraph(node, segments);
    return true;  // a text box inside the paragraph has separate paragraphs
  });
}

}  // namespace dietmt::service
