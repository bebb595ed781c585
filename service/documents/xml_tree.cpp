#include "service/documents/xml_tree.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/error.h"
#include "common/interruption.h"
#include "service/documents/xml_check.h"

namespace dietmt::service {
namespace {

const char* plain(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

std::string taken(xmlChar* text) {
  const std::string copy = text == nullptr ? "" : plain(text);
  xmlFree(text);
  return copy;
}

// How much a tree may still grow by copies of its elements, in bytes of XML.
struct CopyBudget {
  explicit CopyBudget(size_t of_document) : left(4 * of_document + 1'000'000) {}
  size_t left;
};

CopyBudget* budget_of(const xmlDoc* document) {
  return static_cast<CopyBudget*>(document->_private);
}

void free_tree(xmlDoc* document) {
  const std::unique_ptr<CopyBudget> budget(budget_of(document));
  xmlFreeDoc(document);
}

size_t bytes_of(const xmlChar* text) { return static_cast<size_t>(xmlStrlen(text)); }

// Approximate bytes of an element without its content.
size_t size_of(const xmlNode* element) {
  constexpr size_t kMarkup = 5;
  size_t size = bytes_of(element->name) + kMarkup;
  for (const xmlAttr* one = element->properties; one != nullptr; one = one->next) {
    size += bytes_of(one->name) + kMarkup;
    for (const xmlNode* value = one->children; value != nullptr; value = value->next)
      size += bytes_of(value->content);
  }
  return size;
}

// As walk(), for steps that must not end in between.
void walk_whole(xmlNode* node, const std::function<bool(xmlNode*)>& visit) {
  if (node == nullptr || !visit(node) || node->type != XML_ELEMENT_NODE) return;
  for (xmlNode* child = node->children; child != nullptr;) {
    xmlNode* const next = child->next;
    walk_whole(child, visit);
    child = next;
  }
}

// Discards what libxml2 would write to stderr, which contains text of the document: validity errors
// are reported despite XML_PARSE_NOERROR.
void silence() {
  xmlSetStructuredErrorFunc(nullptr, [](void* /*context*/, auto* /*error*/) {});
}

std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> parsed(std::string_view bytes) {
  const std::unique_ptr<xmlParserCtxt, void (*)(xmlParserCtxt*)> parser(xmlNewParserCtxt(),
                                                                        xmlFreeParserCtxt);
  if (!parser) throw std::bad_alloc();
  silence();
  // After an error libxml2 would continue at another position than check_xml() did.
  parser->sax->serror = [](void* context, auto* error) {
    if (error->level == XML_ERR_FATAL) xmlStopParser(static_cast<xmlParserCtxt*>(context));
  };
  parser->sax->startElementNs = [](void* context, auto... element) {
    if (is_interrupted()) xmlStopParser(static_cast<xmlParserCtxt*>(context));
    xmlSAX2StartElementNs(context, element...);
  };
  std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> document(
      xmlCtxtReadMemory(parser.get(), bytes.data(), static_cast<int>(bytes.size()), nullptr,
                        nullptr, XML_PARSE_NONET),
      xmlFreeDoc);
  check_interruption();
  if (document && parser->wellFormed != 0) return document;
  std::string problem = parser->lastError.message != nullptr ? parser->lastError.message : "no XML";
  problem.erase(problem.find_last_not_of(" \n") + 1);
  throw DataError("the XML is damaged at line " + std::to_string(parser->lastError.line) + ": " +
                  problem);
}

}  // namespace

XmlTree::XmlTree(std::string_view bytes, const DocumentLimits& limits)
    : document_(nullptr, free_tree) {
  // Each node takes about a hundred bytes of memory or more.
  if (bytes.size() > limits.bytes || most_xml_nodes(bytes) > limits.nodes)
    throw DocumentTooLargeError("the XML has more than " + std::to_string(limits.bytes) +
                                " bytes or " + std::to_string(limits.nodes) +
                                " elements and attributes");
  check_xml(bytes);
  auto budget = std::make_unique<CopyBudget>(bytes.size());
  document_.reset(parsed(bytes).release());
  document_->_private = budget.release();
}

size_t most_xml_nodes(std::string_view bytes) {
  return static_cast<size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return c == '<' || c == '='; }));
}

std::string XmlTree::text() const {
  silence();
  xmlChar* bytes = nullptr;
  int size = 0;
  const xmlChar* const encoding = document_->encoding;
  xmlDocDumpMemoryEnc(document_.get(), &bytes, &size,
                      encoding == nullptr ? "UTF-8" : plain(encoding));
  if (bytes == nullptr) throw DataError("the encoding of the XML is unknown");
  const std::string text(plain(bytes), static_cast<size_t>(size));
  xmlFree(bytes);
  return text;
}

std::string_view element_name(const xmlNode* node) {
  return node != nullptr && node->type == XML_ELEMENT_NODE ? plain(node->name) : "";
}

bool is_in_space(const xmlNode* element, std::string_view part) {
  const std::string_view space = element->ns == nullptr ? "" : plain(element->ns->href);
  return space.find(part) != space.npos;
}

bool has_elements(const xmlNode* node) {
  const xmlNode* child = node->children;
  while (child != nullptr && child->type != XML_ELEMENT_NODE) child = child->next;
  return child != nullptr;
}

xmlNode* child_named(const xmlNode* node, std::string_view name) {
  xmlNode* child = node == nullptr ? nullptr : node->children;
  while (child != nullptr && element_name(child) != name) child = child->next;
  return child;
}

xmlAttr* attribute_node(const xmlNode* element, const char* name) {
  for (xmlAttr* one = element->properties; one != nullptr; one = one->next)
    if (xmlStrEqual(one->name, xml(name)) != 0) return one;
  return nullptr;
}

std::string attribute(const xmlNode* element, const char* name) {
  const xmlAttr* const found = attribute_node(element, name);
  return found == nullptr ? "" : content_of(reinterpret_cast<const xmlNode*>(found));
}

bool set_attribute(xmlNode* element, const char* name, const std::string& value, xmlNs* space) {
  const xmlAttr* const found = attribute_node(element, name);
  if (found != nullptr && attribute(element, name) == value) return false;
  xmlSetNsProp(element, found != nullptr ? found->ns : space, xml(name), xml(value.c_str()));
  return true;
}

std::string content_of(const xmlNode* node) { return taken(xmlNodeGetContent(node)); }

void discard(xmlNode* node) {
  xmlUnlinkNode(node);
  xmlFreeNode(node);
}

void set_content(xmlNode* node, const std::string& text) {
  if (node->type == XML_ATTRIBUTE_NODE) {
    set_attribute(node->parent, plain(node->name), text, node->ns);
    return;
  }
  if (node->type != XML_ELEMENT_NODE) {
    xmlNodeSetContent(node, xml(text.c_str()));
    return;
  }
  discard_content(node);
  xmlAddChild(node, xmlNewDocText(node->doc, xml(text.c_str())));
}

void append_text(xmlNode* element, const std::string& text) {
  if (!text.empty()) xmlAddChild(element, xmlNewDocText(element->doc, xml(text.c_str())));
}

void discard_content(xmlNode* element) {
  while (element->children != nullptr) discard(element->children);
}

xmlNode* copied(const xmlNode* element, Copy what) {
  size_t size = size_of(element);
  auto* const original = const_cast<xmlNode*>(element);
  if (what == Copy::kWhole) {
    walk_whole(original, [&](xmlNode* node) {
      const bool is_element = node->type == XML_ELEMENT_NODE;
      size += is_element ? size_of(node) : bytes_of(node->content);
      return is_element;
    });
  }
  size_t& left = budget_of(element->doc)->left;
  if (size > left)
    throw DocumentTooLargeError("line " + std::to_string(xmlGetLineNo(element)) +
                                ": this formatting is too long to be repeated for each text that "
                                "has it");
  left -= size;
  return xmlDocCopyNode(original, element->doc, what == Copy::kWhole ? 1 : 2);
}

void drop_repeated_namespaces(xmlNode* copy) {
  std::vector<std::pair<xmlNs*, xmlNs*>> repeated;  // own and outer
  for (xmlNs** link = &copy->nsDef; *link != nullptr;) {
    xmlNs* const own = *link;
    xmlNs* const outer = xmlSearchNs(copy->doc, copy->parent, own->prefix);
    if (outer == nullptr || xmlStrEqual(outer->href, own->href) == 0) {
      link = &own->next;
      continue;
    }
    repeated.emplace_back(own, outer);
    *link = own->next;
  }
  const auto replace = [&](xmlNs*& space) {
    for (const auto& [own, outer] : repeated)
      if (space == own) space = outer;
  };
  walk_whole(copy, [&](xmlNode* node) {
    if (node->type != XML_ELEMENT_NODE) return false;
    replace(node->ns);
    for (xmlAttr* one = node->properties; one != nullptr; one = one->next) replace(one->ns);
    return true;
  });
  for (const auto& [own, outer] : repeated) xmlFreeNs(own);
}

void walk(xmlNode* node, const std::function<bool(xmlNode*)>& visit) {
  walk_whole(node, [&](xmlNode* one) {
    check_interruption();
    return visit(one);
  });
}

}  // namespace dietmt::service
