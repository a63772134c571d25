// Steps of a stream as people and programs read them: lines in a terminal, CSV, JSON lines, and a page with a chart.
#pragma once
#include <string>
#include <vector>

#include "document/to_json.h"
#include "release/stream/step_file.h"
#include "release/stream/stream.h"

namespace kith::cli {

/// What holds for everybody, in words.
std::string StreamHeadText(const document::StreamHead& head, std::size_t width);
std::string StreamHeadJson(const document::StreamHead& head);

std::string StepText(const std::vector<std::string>& columns, const Answer& step);
std::string StepJson(const Answer& step);

struct PageParts {
  std::string maps;     // a picture of maps, in the place of the charts; may be empty
  std::string command;  // how to get the page again
};
std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps,
                       const PageParts& parts);

/// A chart, as SVG, only of what was released: the first noisy column.
std::string StreamPicture(const StreamRelease& stream, const Policy& policy, const std::vector<Answer>& steps);

/// How a file of steps is written, CSV or JSON lines by its name. `head`: of the stream, with the columns of the rows.
/// Fails: kInvalidArgument if the name ends neither in .csv nor in .jsonl.
Result<StepFormat> FormatFor(const std::string& path, const document::StreamHead& head);

}  // namespace kith::cli
