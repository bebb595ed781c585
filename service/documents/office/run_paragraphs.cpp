#include "service/documents/office/run_paragraphs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "service/documents/office/run_preparation.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// Descriptions of pictures and links, the choices of a list, the values that a chart shows, the
// messages and filters of cells, and comments of PowerPoint and Excel.
constexpr std::array<ValuePlace, 15> kValues = {{{"docPr", "descr"},
                                                 {"docPr", "title"},
                                                 {"cNvPr", "descr"},
                                                 {"cNvPr", "title"},
                                                 {"hyperlink", "tooltip"},
                                                 {"hlinkClick", "tooltip"},
                                                 {"listItem", "displayText"},
                                                 {"v", "", "pt", "/chart"},
                                                 {"dataValidation", "promptTitle", "", "", 32},
                                                 {"dataValidation", "prompt", "", "", 255},
                                                 {"dataValidation", "errorTitle", "", "", 32},
                                                 {"dataValidation", "error", "", "", 225},
                                                 {"filter", "val", "filters"},
                                                 {"text", "", "cm"},
                                                 {"text", "", "threadedComment"}}};

bool is_insertion(const xmlNode* node) {
  constexpr std::array<std::string_view, 2> kInsertions = {"ins", "moveTo"};
  return is_among(element_name(node), kInsertions);
}

// Equal for both ends of a range.
std::string range_of(const xmlNode* mark) {
  std::string name(element_name(mark));
  for (const std::string_view end : {"Start", "End"})
    if (name.ends_with(end))
      return name.substr(0, name.size() - end.size()) + attribute(mark, "id");
  return "";
}

// The value of a property such as <w:pStyle w:val="Heading1"/>; "" without it.
std::string property(const xmlNode* properties, const char* name) {
  const xmlNode* const found = child_named(properties, name);
  return found == nullptr ? "" : attribute(found, "val");
}

bool is_switched_on(const xmlNode* properties, const char* name) {
  const std::string value = property(properties, name);
  return child_named(properties, name) != nullptr && value != "0" && value != "false";
}

std::string dumped(xmlNode* node) {
  const std::unique_ptr<xmlBuffer, void (*)(xmlBuffer*)> text(xmlBufferCreate(), xmlBufferFree);
  xmlNodeDump(text.get(), node->doc, node, 0, 0);
  return reinterpret_cast<const char*>(xmlBufferContent(text.get()));
}

// The formatting of a run without invisible properties: programs split words into runs where the
// language or the spell-checking changes.
std::string style_of(const xmlNode* run) {
  constexpr std::array<std::string_view, 7> kInvisible = {"lang", "altLang",  "noProof", "dirty",
                                                          "err",  "smtClean", "bmk"};
  const xmlNode* const properties = child_named(run, "rPr");
  if (properties == nullptr) return "";
  std::string style;
  for (const xmlAttr* one = properties->properties; one != nullptr; one = one->next) {
    const std::string name = reinterpret_cast<const char*>(one->name);
    if (!is_among(name, kInvisible))
      style += name + "=" + attribute(properties, name.c_str()) + " ";
  }
  for (xmlNode* one = properties->children; one != nullptr; one = one->next)
    if (!element_name(one).empty() && !is_among(element_name(one), kInvisible))
      style += dumped(one);
  return style;
}

// Superscript or subscript.
bool is_raised(const xmlNode* run) {
  const xmlNode* const properties = child_named(run, "rPr");
  if (properties == nullptr) return false;
  const xmlNode* const place = child_named(properties, "vertAlign");
  const std::string baseline = attribute(properties, "baseline");
  return (place != nullptr && attribute(place, "val") != "baseline") ||
         (!baseline.empty() && baseline != "0");
}

// Excel on Windows writes a line end in a cell as _x000D_ and a line feed, and shows the latter.
void drop_returns(xmlNode* cell) {
  constexpr std::string_view kReturn = "_x000D_";
  walk(cell, [&](xmlNode* node) {
    if (element_name(node) != "t") return true;
    const std::string old = content_of(node);
    std::string text;
    size_t begin = 0;
    for (size_t at = old.find(kReturn); at != old.npos; at = old.find(kReturn, begin)) {
      text += old.substr(begin, at - begin);
      begin = at + kReturn.size();
    }
    if (begin > 0) set_content(node, text + old.substr(begin));
    return false;
  });
}

class RunReader {
 public:
  RunReader(OfficePart& part, const RunContext& context, bool skips_prompts)
      : part_(part), context_(context), skips_prompts_(skips_prompts) {
    walk(part.tree.root(), [&](const xmlNode* node) {
      if (element_name(node) != "r" || child_named(node, "t") == nullptr) return true;
      (is_unproofed(node) ? unproofed_ : proofed_) += 1;
      return true;
    });
  }

  void read() {
    walk(part_.tree.root(), [&](xmlNode* node) {
      const std::string_view name = element_name(node);
      if (name.empty() || (skips_prompts_ && is_prompt(node))) return false;
      if (name == "rPr") return add_values(node);
      if (is_leaf(node)) return false;
      if (is_paragraph(node) && is_translated(node)) add_paragraph(node);
      part_.values.add_at(node, kValues);
      part_.codes.add(node);
      return true;  // a text box inside the paragraph has separate paragraphs
    });
  }

 private:
  // Formatting holds no paragraphs, but may hold the description of a link.
  bool add_values(xmlNode* properties) {
    walk(properties, [&](xmlNode* node) {
      part_.values.add_at(node, kValues);
      return true;
    });
    return false;
  }

  static bool is_unproofed(const xmlNode* run) {
    return is_switched_on(child_named(run, "rPr"), "noProof");
  }

  // The shape of a placeholder.
  static bool is_prompt(const xmlNode* shape) {
    return element_name(shape) == "sp" &&
           child_named(child_named(child_named(shape, "nvSpPr"), "nvPr"), "ph") != nullptr;
  }

  bool is_translated(const xmlNode* paragraph) const {
    const bool is_cell = element_name(paragraph) == "si" || element_name(paragraph) == "is";
    if (is_cell && context_.columns.keeps(content_of(paragraph))) return false;
    return !context_.code.contain(property(child_named(paragraph, "pPr"), "pStyle"));
  }

  // Word marks whatever it does not check, also the entries of tables of contents. Some programs
  // mark all text.
  bool is_code(const xmlNode* run) const {
    const xmlNode* const properties = child_named(run, "rPr");
    return context_.code.contain(property(properties, "rStyle")) ||
           property(properties, "lang").starts_with("zxx") ||
           (is_unproofed(run) && !is_in_contents_ && unproofed_ < proofed_ &&
            element_name(run->parent) != "hyperlink");
  }

  void add_paragraph(xmlNode* paragraph) {
    prepare_runs(paragraph, part_.units);
    if (element_name(paragraph) != "p") drop_returns(paragraph);
    is_in_contents_ = context_.contents.contains(property(child_named(paragraph, "pPr"), "pStyle"));
    walk(paragraph, [&](xmlNode* node) {
      const std::string_view name = element_name(node);
      if (name.empty() || is_ignored(node)) return false;
      if (is_mark(node) || is_deletion(node) || is_formula(node)) {
        texts().add_mark(node, range_of(node));
        return false;
      }
      if (name == "r") {
        for (xmlNode* const run : split_run(node)) add_run(run, run);
        return false;
      }
      if (name == "t" && node->parent == paragraph) {
        texts().add({node, node, "", true});
        return false;
      }
      if (is_insertion(node) && node->children != nullptr && add_insertions(node)) return false;
      texts().end_segment();
      return name != "pPr" && (!is_paragraph(node) || node == paragraph);
    });
    texts().end_segment();
  }

  // Returns false if the insertion contains anything but runs and deletions.
  bool add_insertions(xmlNode* insertion) {
    const std::vector<xmlNode*> parts = split_insertion(insertion);
    for (xmlNode* const part : parts) {
      if (is_mark(part)) {
        texts().add_mark(part, range_of(part));
        continue;
      }
      xmlNode* const content = elements_in(part).front();
      if (element_name(content) == "r")
        add_run(content, part);
      else if (is_deletion(content))
        texts().add_mark(part, "");
    }
    return !parts.empty();
  }

  // `item`: the run, or the insertion around it.
  void add_run(xmlNode* run, xmlNode* item) {
    const std::string inserted = item != run ? "inserted " + attribute(item, "id") + " " : "";
    const std::vector<xmlNode*> content = elements_in(run);
    const bool has_text =
        std::ranges::any_of(content, [](const xmlNode* node) { return element_name(node) == "t"; });
    // A tab or a break stays, and the texts around it belong to two segments.
    const bool has_only_text = std::ranges::all_of(content, [](const xmlNode* node) {
      const std::string_view name = element_name(node);
      return name == "t" || name == "rPr" || is_ignored(node);
    });
    if (has_text && is_code(run))
      return has_only_text ? texts().add_mark(item, "") : texts().end_segment();
    const std::string style = inserted + style_of(run);
    const bool raised = is_raised(run);
    for (xmlNode* const child : content) {
      const std::string_view name = element_name(child);
      if (name == "t") {
        // Spaces at the ends of a text count only with this attribute, which drawings do not have.
        if (!is_in_space(child, "drawingml")) xmlNodeSetSpacePreserve(child, 1);
        texts().add({child, item, style, has_only_text, raised});
      } else if (is_reference(child) && !has_text) {
        texts().add_mark(item, "");
      } else if (name != "rPr" && !is_ignored(child)) {
        texts().end_segment();
      }
    }
  }

  StyledSegments& texts() { return part_.texts; }

  OfficePart& part_;
  const RunContext& context_;
  const bool skips_prompts_;
  bool is_in_contents_ = false;
  size_t proofed_ = 0;    // runs with text
  size_t unproofed_ = 0;  // those with noProof
};

// A copy of a run with only this text.
xmlNode* copied_run(const xmlNode* original, const std::string& text) {
  xmlNode* const run = copied(original, Copy::kWithoutContent);
  xmlNode* kept = nullptr;
  for (xmlNode* const child : elements_in(original)) {
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

}  // namespace

void add_word_styles(xmlNode* root, RunContext& context) {
  walk(root, [&](xmlNode* node) {
    if (element_name(node) != "style") return true;
    const std::string id = attribute(node, "styleId"), name = property(node, "name");
    context.code.add(id, name, property(node, "basedOn"),
                     property(child_named(node, "rPr"), "lang").starts_with("zxx"));
    if (name.starts_with("toc ") || name == "table of figures") context.contents.insert(id);
    return false;
  });
}

void add_runs(OfficePart& part, const RunContext& context, bool skips_prompts) {
  RunReader(part, context, skips_prompts).read();
}

xmlNode* copied_run_item(const StyledText& original, const std::string& text) {
  if (original.item == original.text) {
    xmlNode* const copy = copied(original.item, Copy::kWithoutContent);
    set_content(copy, text);
    return copy;
  }
  xmlNode* const run = copied_run(original.text->parent, text);
  if (original.item == original.text->parent) return run;
  xmlNode* const insertion = copied(original.item, Copy::kWithoutContent);
  xmlAddChild(insertion, run);
  drop_repeated_namespaces(run);
  return insertion;
}

}  // namespace dietmt::service
