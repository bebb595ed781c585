// Untrusted XML documents, read with libxml2: nothing is fetched and no entity is expanded.
#pragma once

#include <libxml/tree.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/documents/document.h"

namespace dietmt::service {

class XmlTree {
 public:
  /// Throws DataError with the line if the bytes are not well-formed, declare entities or exceed a
  /// limit.
  XmlTree(std::string_view bytes, const DocumentLimits& limits);

  xmlNode* root() const { return xmlDocGetRootElement(document_.get()); }
  /// In the document's encoding.
  std::string text() const;

 private:
  std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> document_;
};

/// An upper bound on the number of elements and attributes.
size_t most_xml_nodes(std::string_view bytes);

template <size_t N>
bool is_among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The name of an element without its prefix; "" for other nodes.
std::string_view element_name(const xmlNode* node);
/// Whether the name of an element's namespace contains `part`; "" is in all.
bool is_in_space(const xmlNode* element, std::string_view part);
bool has_elements(const xmlNode* node);
/// The first child with this name; null without one, and for a null node.
xmlNode* child_named(const xmlNode* node, std::string_view name);
/// The attribute with this name, whatever its prefix; null if it is missing.
xmlAttr* attribute_node(const xmlNode* element, const char* name);
/// The value of an attribute, whatever its prefix; "" if it is missing.
std::string attribute(const xmlNode* element, const char* name);
/// Sets an attribute, whatever its prefix. `space`: of a new one. Returns false if it has this
/// value already.
bool set_attribute(xmlNode* element, const char* name, const std::string& value, xmlNs* space);
std::string content_of(const xmlNode* node);
/// For a text node, an attribute or an element.
void set_content(xmlNode* node, const std::string& text);
/// Adds text at the end of an element's content.
void append_text(xmlNode* element, const std::string& text);
/// Removes a node and all that is in it.
void discard(xmlNode* node);
void discard_content(xmlNode* element);

enum class Copy { kWhole, kWithoutContent };

/// A copy of an element. Throws DocumentTooLargeError with the line if a document's copies together
/// exceed its size many times, such as those of one long element for many small ones.
xmlNode* copied(const xmlNode* element, Copy what);

/// Removes namespace declarations from a copy in its final place that the surrounding tree already
/// has.
void drop_repeated_namespaces(xmlNode* copy);

/// Calls `visit` for a node and, if that returns true, for the nodes below it, in order. The visit
/// may change what is below the node.
void walk(xmlNode* node, const std::function<bool(xmlNode*)>& visit);

}  // namespace dietmt::service
