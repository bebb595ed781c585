// TMX: translation memories, whose units have a variant of each language.
#include "common/error.h"
#include "service/documents/bilingual_document.h"
#include "service/documents/document_kinds.h"
#include "service/documents/language_marks.h"

namespace dietmt::service {
namespace {

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
    finish();
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
    const xmlNode* const text = child_named(source, "seg");
    if (text != nullptr && stays(text)) return;
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

}  // namespace

std::unique_ptr<Document> open_tmx(std::string_view bytes, const DocumentOptions& options,
                                   const DocumentLimits& limits) {
  return std::make_unique<TmxDocument>(bytes, options, limits);
}

}  // namespace dietmt::service
