// A declared strength that makes no difference: people should know, because they may have worked for it.
#pragma once
#include <string>

#include "dependence/model.h"

namespace kith {

/// A remark if the odds ratio of a group allows hardly more plain loss, for this dependent loss, than members that
/// depend in any way; empty otherwise, and for other models. Of several classes: about the first for which it is true.
std::string IdleStrength(const Model& model, double dependent);

}  // namespace kith
