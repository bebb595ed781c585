#include "nmt/alignment/placeholders.h"

#include <gmock/gmock.h>

namespace dietmt::nmt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlaceholdersTest, OfMessagesAndMarkup) {
  EXPECT_THAT(placeholders_in("%s of %1$-5.2lf, 5%% %(name)s"),
              ElementsAre("%s", "%1$-5.2lf", "%%", "%(name)s"));
  EXPECT_THAT(placeholders_in("{} {0} {name:>3} ${x} {{ user }}"),
              ElementsAre("{}", "{0}", "{name:>3}", "${x}", "{{ user }}"));
  EXPECT_THAT(placeholders_in("<b>a</b><br/> &amp; &#x20;"),
              ElementsAre("<b>", "</b>", "<br/>", "&amp;", "&#x20;"));
  EXPECT_THAT(placeholders_in("<a title=\"File > Save\">it</a> <b it's> <i k='v> x"),
              ElementsAre("<a title=\"File > Save\">", "</a>", "<b it's>", "<i k='v>"));
  EXPECT_THAT(placeholders_in("100 % done, 5% of a < b & c; {open $5"), IsEmpty());
}

TEST(PlaceholdersTest, DollarsEncloseNamesButNoAmounts) {
  EXPECT_THAT(placeholders_in("Open $file_1$ with $program$."),
              ElementsAre("$file_1$", "$program$"));
  EXPECT_THAT(placeholders_in("from $5 to 6$, $HOME and $PATH"), IsEmpty());
}

}  // namespace
}  // namespace dietmt::nmt
