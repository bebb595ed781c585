// TMX and XLIFF: source and target side by side. Units without a translation get one, a copy of the
// source with its inline codes.
#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/documents/document_kinds.h"
#include "service/documents/inline_codes.h"
#include "service/documents/language_marks.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// Inline elements that contain code of the original format, in TMX 1.4 and XLIFF 1.2 and 2.
constexpr std::array<std::string_view, 8> kCodes = {"ph", "it", "ut", "x", "cp", "sm", "em", "sub"};
constexpr std::array<std::string_view, 3> kBegins = {"bpt", "bx", "sc"};
constexpr std::array<std::string_view, 3> kEnds = {"ept", "ex", "ec"};

const xmlChar* as_xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

// Puts a copy in the place of a node.
void replace(xmlNode* old, xmlNode* copy) {
  xmlReplaceNode(old, copy);
  xmlFreeNode(old);
  drop_repeated_namespaces(copy);
}

bool is_blank(const xmlNode* node) {
  return content_of(node).find_first_not_of(" \t\r\n") == std::string::npos;
}

// Whether text inside an element is translated, given whether that around it is.
bool is_translated(const xmlNode* element, bool is_around) {
  if (attribute(element, "translate") == "yes") return true;
  const bool is_code = is_among(element_name(element), kCodes) ||
                       attribute(element, "translate") == "no" ||
                       attribute(element, "mtype") == "protected";
  return is_around && !is_code;
}

// Whether an untranslated part of a text contains translated text.
bool has_translated(const xmlNode* element) {
  for (const xmlNode* child = element->children; child != nullptr; child = child->next)
    if (child->type == XML_ELEMENT_NODE && (is_translated(child, false) || has_translated(child)))
      return true;
  return false;
}

// The value of the first of these attributes that an element has.
std::string first_of(const xmlNode* element, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = attribute(element, name); !value.empty()) return value;
  return "";
}

// Codes of a pair refer to each other: bpt and ept by i, ex by the rid of its bx, ec by the id of
// its sc.
InlineNode inline_node(const xmlNode* node) {
  const std::string_view name = element_name(node);
  if (is_among(name, kBegins))
    return {InlineKind::kBegin,
            std::string(name.substr(0, 1)) + first_of(node, {"i", "rid", "id"})};
  if (is_among(name, kEnds)) {
    const char* const family = name == "ec" ? "s" : "b";
    return {InlineKind::kEnd, family + first_of(node, {"i", "startRef", "rid", "id"})};
  }
  return {is_translated(node, true) ? InlineKind::kElement : InlineKind::kCode, ""};
}

class BilingualDocument : public Document {
 public:
  BilingualDocument(std::string_view bytes, const DocumentOptions& options,
                    const DocumentLimits& limits)
      : tree_(bytes, limits), options_(options) {}

  std::string translated(const std::vector<Translation>& translations) override {
    texts_.fill(translations);
    return tree_.text();
  }

 protected:
  xmlNode* root() const { return tree_.root(); }
  const DocumentOptions& options() const { return options_; }

  // Sets the language of a source's copy, if it names its language.
  void set_language(xmlNode* target) const {
    const std::string language = xml_language(options_.target);
    for (const xmlAttr* one = target->properties; one != nullptr; one = one->next)
      if (xmlStrEqual(one->name, as_xml("lang")) != 0)
        xmlSetNsProp(target, one->ns, as_xml("lang"), as_xml(language.c_str()));
  }

  // Adds the text of a target that is still a copy of its source.
  void add_text(xmlNode* target, bool translates) {
    if (translates) texts_.add(target, keeps_lines(target), inline_node);
    add_text_of_codes(target, translates);
  }

 private:
  virtual bool keeps_lines(const xmlNode* element) const = 0;

  // Text to translate inside a code is a separate segment.
  void add_text_of_codes(xmlNode* element, bool translates) {
    for (xmlNode* child = element->children; child != nullptr; child = child->next) {
      if (child->type != XML_ELEMENT_NODE) continue;
      const bool is_inside = is_translated(child, translates);
      if (is_inside && !translates) texts_.add(child, keeps_lines(child), inline_node);
      add_text_of_codes(child, is_inside);
    }
  }

  XmlTree tree_;
  DocumentOptions options_;
  InlineSegments texts_{segments_};
};

class TmxDocument final : public BilingualDocument {
 public:
  TmxDocument(std::string_view bytes, const DocumentOptions& options, const DocumentLimits& limits)
      : BilingualDocument(bytes, options, limits) {
    if (element_name(root()) != "tmx")
      throw DataError("the file is not TMX: its root is not <tmx>");
    walk(root(), [&](xmlNode* node) {
      if (element_name(node) != "tu") return true;
      add_unit(node);
      return false;
    });
  }

 private:
  // White space is significant in TMX.
  bool keeps_lines(const xmlNode* /*element*/) const override { return true; }

  xmlNode* variant(const xmlNode* unit, const std::string& language) const {
    for (xmlNode* child = unit->children; child != nullptr; child = child->next)
      if (element_name(child) == "tuv" && language_of(attribute(child, "lang")) == language)
        return child;
    return nullptr;
  }

  void add_unit(xmlNode* unit) {
    const xmlNode* const source = variant(unit, language_of(options().source));
    if (source == nullptr) return;
    if (const xmlNode* const target = variant(unit, language_of(options().target)))
      return fill_blank(source, child_named(target, "seg"));
    xmlNode* const target = copied(source, Copy::kWhole);
    xmlAddChild(unit, target);
    drop_repeated_namespaces(target);
    set_language(target);
    if (xmlNode* const segment = child_named(target, "seg")) add_text(segment, true);
  }

  void fill_blank(const xmlNode* source, xmlNode* old) {
    const xmlNode* const segment = child_named(source, "seg");
    if (segment == nullptr || old == nullptr || !is_blank(old)) return;
    xmlNode* const added = copied(segment, Copy::kWhole);
    replace(old, added);
    add_text(added, true);
  }
};

class XliffDocument final : public BilingualDocument {
 public:
  XliffDocument(std::string_view bytes, const DocumentOptions& options,
                const DocumentLimits& limits)
      : BilingualDocument(bytes, options, limits) {
    if (element_name(root()) != "xliff")
      throw DataError("the file is not XLIFF: its root is not <xliff>");
    is_first_version_ = attribute(root(), "version").starts_with("1");
    if (!is_first_version_) set_languages(root(), "srcLang", "trgLang");
    add_units(root(), true);
  }

 private:
  bool keeps_lines(const xmlNode* element) const override {
    return xmlNodeGetSpacePreserve(element) == 1;
  }

  // Elements inherit whether they are translated.
  void add_units(xmlNode* element, bool is_around) {
    const bool translates = is_translated(element, is_around);
    const std::string_view name = element_name(element);
    if (is_first_version_ && name == "file")
      set_languages(element, "source-language", "target-language");
    if (name == "trans-unit" || name == "segment") return add_unit(element, translates);
    for (xmlNode* child = element->children; child != nullptr; child = child->next)
      if (child->type == XML_ELEMENT_NODE) add_units(child, translates);
  }

  // Refuses files for another language pair.
  void set_languages(xmlNode* element, const char* source, const char* target) const {
    check_language(element, source, options().source, "from");
    check_language(element, target, options().target, "to");
    if (attribute(element, target).empty())
      xmlSetProp(element, as_xml(target), as_xml(xml_language(options().target).c_str()));
  }

  static void check_language(const xmlNode* element, const char* name, const std::string& wanted,
                             const char* direction) {
    const std::string code = attribute(element, name);
    if (code.empty() || is_same_language(code, wanted)) return;
    throw DataError("line " + std::to_string(xmlGetLineNo(element)) + ": " + name + " is '" + code +
                    "', but the request translates " + direction + " '" + wanted + "'");
  }

  void add_unit(xmlNode* unit, bool translates) {
    xmlNode* const source = child_named(unit, "source");
    xmlNode* const old_target = child_named(unit, "target");
    if (source == nullptr || !is_untranslated(unit, source, old_target)) return;
    if (!translates && !has_translated(source)) return;
    xmlNode* const segments = child_named(unit, "seg-source");
    const bool is_segmented = segments != nullptr && has_segments(segments);
    xmlNode* const target = copied(is_segmented ? segments : source, Copy::kWhole);
    xmlNodeSetName(target, as_xml("target"));
    set_language(target);
    xmlAddNextSibling(segments != nullptr ? segments : source, target);
    drop_repeated_namespaces(target);
    if (old_target != nullptr) {
      for (const xmlAttr* one = old_target->properties; one != nullptr; one = one->next)
        xmlSetNsProp(
            target, one->ns, one->name,
            as_xml(attribute(old_target, reinterpret_cast<const char*>(one->name)).c_str()));
      xmlUnlinkNode(old_target);
      xmlFreeNode(old_target);
    }
    set_state(unit, target);
    if (is_segmented)
      add_segments(target, translates);
    else
      add_text(target, translates);
  }

  // Whether the target is missing, blank, or the source in a state that calls for a translation.
  static bool is_untranslated(const xmlNode* unit, const xmlNode* source, const xmlNode* target) {
    constexpr std::array<std::string_view, 3> kStates = {"new", "needs-translation", "initial"};
    if (target == nullptr || is_blank(target)) return true;
    const bool calls = is_among(attribute(target, "state"), kStates) ||
                       is_among(attribute(unit, "state"), kStates);
    return calls && content_of(target) == content_of(source);
  }

  // The state is that of a target in the first version, and of a segment in the second one.
  void set_state(xmlNode* unit, xmlNode* target) const {
    xmlNode* const owner = is_first_version_ ? target : unit;
    const char* const state = is_first_version_ ? "needs-review-translation" : "translated";
    if (!attribute(owner, "state").empty()) xmlSetProp(owner, as_xml("state"), as_xml(state));
  }

  static bool is_segment(const xmlNode* node) {
    return element_name(node) == "mrk" && attribute(node, "mtype") == "seg";
  }

  static bool has_segments(xmlNode* element) {
    bool has_one = false;
    walk(element, [&](xmlNode* node) {
      has_one = has_one || is_segment(node);
      return !has_one;
    });
    return has_one;
  }

  // The sentences that a tool has found keep their marks.
  void add_segments(xmlNode* target, bool translates) {
    walk(target, [&](xmlNode* node) {
      if (is_segment(node)) add_text(node, is_translated(node, translates));
      return !is_segment(node);
    });
  }

  bool is_first_version_ = false;
};

}  // namespace

std::unique_ptr<Document> open_tmx(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits) {
  return std::make_unique<TmxDocument>(bytes, options, limits);
}

std::unique_ptr<Document> open_xliff(std::string_view bytes, const DocumentOptions& options,
                                     const DocumentLimits& limits) {
  return std::make_unique<XliffDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
