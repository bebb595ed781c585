#include "service/documents/xml_tree.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlmemory.h>

#include <algorithm>
#include <cstdint>

#include "common/error.h"

namespace dietmt::service {
namespace {

const char* plain(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

const xmlChar* xml(const char* text) { return reinterpret_cast<const xmlChar*>(text); }

std::string taken(xmlChar* text) {
  const std::string copy = text == nullptr ? "" : plain(text);
  xmlFree(text);
  return copy;
}

void refuse_entity(void* context, const xmlChar* /*name*/, int /*type*/, const xmlChar* /*public*/,
                   const xmlChar* /*system*/, xmlChar* /*content*/) {
  auto* const parser = static_cast<xmlParserCtxt*>(context);
  parser->_private = parser;  // notes it
  xmlStopParser(parser);
}

std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> parsed(std::string_view bytes) {
  const std::unique_ptr<xmlParserCtxt, void (*)(xmlParserCtxt*)> parser(xmlNewParserCtxt(),
                                                                        xmlFreeParserCtxt);
  if (!parser) throw std::bad_alloc();
  parser->sax->entityDecl = refuse_entity;
  constexpr int kOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
  std::unique_ptr<xmlDoc, void (*)(xmlDoc*)> document(
      xmlCtxtReadMemory(parser.get(), bytes.data(), static_cast<int>(bytes.size()), nullptr,
                        nullptr, kOptions),
      xmlFreeDoc);
  if (parser->_private != nullptr)
    throw DataError("the XML declares entities, which are not accepted");
  if (document && parser->wellFormed != 0) return document;
  std::string problem = parser->lastError.message != nullptr ? parser->lastError.message : "no XML";
  problem.erase(problem.find_last_not_of(" \n") + 1);
  throw DataError("the XML is damaged at line " + std::to_string(parser->lastError.line) + ": " +
                  problem);
}

}  // namespace

XmlTree::XmlTree(std::string_view bytes, const DocumentLimits& limits)
    : document_(nullptr, xmlFreeDoc) {
  // Each of them takes about a hundred bytes of memory or more.
  const auto nodes = static_cast<size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return c == '<' || c == '='; }));
  if (bytes.size() > limits.bytes || nodes > limits.nodes)
    throw DataError("the XML has more than " + std::to_string(limits.bytes) + " bytes or " +
                    std::to_string(limits.nodes) + " elements and attributes");
  document_ = parsed(bytes);
}

std::string XmlTree::text() const {
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

std::string attribute(const xmlNode* element, const char* name) {
  for (const xmlAttr* one = element->properties; one != nullptr; one = one->next)
    if (xmlStrEqual(one->name, xml(name)) != 0)
      return taken(xmlNodeGetContent(reinterpret_cast<const xmlNode*>(one)));
  return "";
}

std::string content_of(const xmlNode* node) { return taken(xmlNodeGetContent(node)); }

void set_content(xmlNode* node, const std::string& text) {
  if (node->type != XML_ELEMENT_NODE) {
    xmlNodeSetContent(node, xml(text.c_str()));
    return;
  }
  while (node->children != nullptr) {
    xmlNode* const child = node->children;
    xmlUnlinkNode(child);
    xmlFreeNode(child);
  }
  xmlAddChild(node, xmlNewDocText(node->doc, xml(text.c_str())));
}

std::string identity_of(const xmlNode* node) {
  return std::to_string(reinterpret_cast<uintptr_t>(node));
}

void walk(xmlNode* node, const std::function<bool(xmlNode*)>& visit) {
  if (node == nullptr || !visit(node) || node->type != XML_ELEMENT_NODE) return;
  for (xmlNode* child = node->children; child != nullptr;) {
    xmlNode* const next = child->next;
    walk(child, visit);
    child = next;
  }
}

void XmlSegments::add(xmlNode* node, const std::string& style) {
  if (style != style_) end_segment();
  style_ = style;
  open_.push_back(node);
  text_ += content_of(node);
}

void XmlSegments::end_segment() {
  if (auto place = add_segment(text_, segments_))
    groups_.push_back({std::move(open_), *std::move(place)});
  open_.clear();
  text_.clear();
}

void XmlSegments::fill(const std::vector<std::string>& translations) const {
  for (const Group& group : groups_) {
    set_content(group.nodes.front(), group.place.filled(translations));
    for (size_t i = 1; i < group.nodes.size(); ++i) set_content(group.nodes[i], "");
  }
}

}  // namespace dietmt::service
