// Figures as files: for each a folder with tables (CSV), figure.md (published, here, why) and figure.json, which says
// how it was made, so that an interrupted run continues where it stopped, and how it is drawn (lab/figures/draw.py);
// and an index of all.
#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "experiment/figure.h"

namespace kith::experiment {

/// All that decides the result, as a line of JSON. `data`: DataMark or the size of the stand-ins.
std::string MarkOf(const std::string& name, const Settings& settings, const std::string& data,
                   const std::string& version);
/// Names and sizes of the files in a folder and its sub-folders, as a short number.
std::string DataMark(const std::filesystem::path& folder);

/// Whether the folder has this figure, made with the same settings, whole.
bool IsThere(const std::filesystem::path& output, const std::string& name, const std::string& mark);

/// `command` and `label` (such as a commit): to repeat it. Makes the folder. Fails: kStorage.
Result<void> WriteFigure(const Figure& figure, const std::filesystem::path& output, const std::string& mark,
                         const std::string& command, const std::string& label);

/// README.md: all figures that the folder has. Fails: kStorage.
Result<void> WriteIndex(const std::filesystem::path& output);

}  // namespace kith::experiment
