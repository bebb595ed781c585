// TMX and XLIFF: source and target side by side. Units without a target get one, a copy of the
// source with its inline codes.
#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <utility>
#include <vector>

#include "common/error.h"
#include "service/documents/document_kinds.h"
#include "service/documents/inline_codes.h"
#include "service/documents/xml_tree.h"

namespace dietmt::service {
namespace {

// Inline elements whose content is code of the original format, in TMX 1.4 and XLIFF 1.2 and 2.
constexpr std::array<std::string_view, 8> kCodes = {"ph", "it", "ut", "x", "cp", "sm", "em", "sub"};
constexpr std::array<std::string_view, 3> kBegins = {"bpt", "bx", "sc"};
constexpr std::array<std::string_view, 3> kEnds = {"ept", "ex", "ec"};

const xmlChar* as_xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

// The language of a code without its region, in lower case.
std::string language_of(const std::string& code) {
  std::string language = code.substr(0, code.find_first_of("-_"));
  std::transform(language.begin(), language.end(), language.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return language;
}

// As XML writes it: pt-BR.
std::string xml_language(std::string code) {
  std::replace(code.begin(), code.end(), '_', '-');
  return code;
}

xmlNode* child_named(const xmlNode* parent, std::string_view name) {
  for (xmlNode* child = parent->children; child != nullptr; child = child->next)
    if (element_name(child) == name) return child;
  return nullptr;
}

bool is_blank(const xmlNode* node) {
  return content_of(node).find_first_not_of(" \t\r\n") == std::string::npos;
}

bool attribute_is(const xmlNode* node, const char* name, std::string_view value) {
  return node->type == XML_ELEMENT_NODE && attribute(node, name) == value;
}

// The value of the first of these attributes that an element has.
std::string first_of(const xmlNode* element, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (std::string value = attribute(element, name); !value.empty()) return value;
  return "";
}

// Pairs of codes name each other: bpt and ept by i, ex by the rid of its bx, ec by the id of its
// sc.
InlineNode inline_node(const xmlNode* node) {
  const std::string_view name = element_name(node);
  if (is_among(name, kBegins))
    return {InlineKind::kBegin,
            std::string(name.substr(0, 1)) + first_of(node, {"i", "rid", "id"})};
  if (is_among(name, kEnds)) {
    const char* const family = name == "ec" ? "s" : "b";
    return {InlineKind::kEnd, family + first_of(node, {"i", "startRef", "rid", "id"})};
  }
  const bool is_code = is_among(name, kCodes) || attribute_is(node, "translate", "no") ||
                       attribute_is(node, "mtype", "protected");
  return {is_code ? InlineKind::kCode : InlineKind::kElement, ""};
}

class BilingualDocument : public Document {
 public:
  BilingualDocument(const std::string& bytes, const DocumentLanguages& languages,
                    const DocumentLimits& limits)
      : tree_(bytes, limits), languages_(languages) {}

  std::string translated(const std::vector<std::string>& translations) override {
    texts_.fill(translations);
    return tree_.text();
  }

 protected:
  xmlNode* root() const { return tree_.root(); }
  const DocumentLanguages& languages() const { return languages_; }

  // The text of a target that is still a copy of its source.
  void add_text(xmlNode* target) { texts_.add(target, inline_node); }

 private:
  XmlTree tree_;
  DocumentLanguages languages_;
  InlineSegments texts_{segments_};
};

class TmxDocument final : public BilingualDocument {
 public:
  TmxDocument(const std::string& bytes, const DocumentLanguages& languages,
              const DocumentLimits& limits)
      : BilingualDocument(bytes, languages, limits) {
    if (element_name(root()) != "tmx") throw DataError("the file is not TMX: its root is no <tmx>");
    walk(root(), [&](xmlNode* node) {
      if (element_name(node) != "tu") return true;
      add_unit(node);
      return false;
    });
  }

 private:
  xmlNode* variant(const xmlNode* unit, const std::string& language) const {
    for (xmlNode* child = unit->children; child != nullptr; child = child->next)
      if (element_name(child) == "tuv" && language_of(attribute(child, "lang")) == language)
        return child;
    return nullptr;
  }

  void add_unit(xmlNode* unit) {
    const xmlNode* const source = variant(unit, language_of(languages().source));
    if (source == nullptr || variant(unit, language_of(languages().target)) != nullptr) return;
    xmlNode* const target = xmlDocCopyNode(const_cast<xmlNode*>(source), unit->doc, 1);
    xmlAddChild(unit, target);
    drop_repeated_namespaces(target);
    const std::string language = xml_language(languages().target);
    for (const xmlAttr* one = target->properties; one != nullptr; one = one->next)
      if (xmlStrEqual(one->name, as_xml("lang")) != 0)
        xmlSetNsProp(target, one->ns, as_xml("lang"), as_xml(language.c_str()));
    if (xmlNode* const segment = child_named(target, "seg")) add_text(segment);
  }
};

class XliffDocument final : public BilingualDocument {
 public:
  XliffDocument(const std::string& bytes, const DocumentLanguages& languages,
                const DocumentLimits& limits)
      : BilingualDocument(bytes, languages, limits) {
    if (element_name(root()) != "xliff")
      throw DataError("the file is not XLIFF: its root is no <xliff>");
    const bool is_first_version = attribute(root(), "version").starts_with("1");
    if (!is_first_version) set_language(root(), "trgLang");
    walk(root(), [&](xmlNode* node) {
      const std::string_view name = element_name(node);
      if (is_first_version && name == "file") set_language(node, "target-language");
      if (attribute_is(node, "translate", "no")) return false;
      if (name != "trans-unit" && name != "segment") return true;
      add_unit(node);
      return false;
    });
  }

 private:
  void set_language(xmlNode* element, const char* name) const {
    if (attribute(element, name).empty())
      xmlSetProp(element, as_xml(name), as_xml(xml_language(languages().target).c_str()));
  }

  void add_unit(xmlNode* unit) {
    xmlNode* const source = child_named(unit, "source");
    xmlNode* const old_target = child_named(unit, "target");
    if (source == nullptr || (old_target != nullptr && !is_blank(old_target))) return;
    xmlNode* const target = xmlDocCopyNode(source, unit->doc, 1);
    xmlNodeSetName(target, as_xml("target"));
    xmlUnsetProp(target, as_xml("lang"));
    xmlNode* const segments = child_named(unit, "seg-source");
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
    add_text(target);
  }
};

}  // namespace

std::unique_ptr<Document> open_tmx(const std::string& bytes, const DocumentLanguages& languages,
                                   const DocumentLimits& limits) {
  return std::make_unique<TmxDocument>(bytes, languages, limits);
}

std::unique_ptr<Document> open_xliff(const std::string& bytes, const DocumentLanguages& languages,
                                     const DocumentLimits& limits) {
  return std::make_unique<XliffDocument>(bytes, languages, limits);
}

}  // namespace dietmt::service
