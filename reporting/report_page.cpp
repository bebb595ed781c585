#include "reporting/report_page.h"

#include "reporting/report_chart.h"
#include "reporting/report_style.h"

namespace dietmt::reporting {

std::string report_page(const std::string& title, const std::string& body) {
  const std::string escaped = html_escaped(title);
  return "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>\n"
         "<meta name='viewport' content='width=device-width, initial-scale=1'>\n<title>" +
         escaped + "</title>\n<style>" + kReportStyle + "</style></head>\n<body><main>\n<h1>" +
         escaped + "</h1>\n" + body + "</main></body></html>\n";
}

}  // namespace dietmt::reporting
