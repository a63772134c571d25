#include "tests/support/xml.h"

#include <expat.h>
#include <gtest/gtest.h>

namespace kith::test {

void ExpectWellFormed(const std::string& text) {
  XML_Parser parser = XML_ParserCreate("UTF-8");
  const auto status = XML_Parse(parser, text.data(), static_cast<int>(text.size()), 1);
  EXPECT_EQ(status, XML_STATUS_OK) << XML_ErrorString(XML_GetErrorCode(parser)) << " in line "
                                   << XML_GetCurrentLineNumber(parser) << " of\n"
                                   << text;
  XML_ParserFree(parser);
}

}  // namespace kith::test
