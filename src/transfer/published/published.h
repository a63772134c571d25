// Published formulas and other people's mechanisms, under names that say so: for reproduction, comparison and audit. No
// release takes its noise from here without a policy that accepts it. All arithmetic is double, not rounded to the safe
// side. Source: docs/theory/published.md.  Claims: claims/published.md
#pragma once
#include "transfer/published/bayesian_leakage.h"
#include "transfer/published/compare.h"
#include "transfer/published/dependence_coefficient.h"
#include "transfer/published/dependent_sensitivity.h"
#include "transfer/published/distance_law.h"
#include "transfer/published/gaussian_model.h"
#include "transfer/published/identity_overlap.h"
#include "transfer/published/information.h"
#include "transfer/published/laplace_accuracy.h"
#include "transfer/published/laplace_loss.h"
#include "transfer/published/listed_law.h"
#include "transfer/published/markov_quilt.h"
#include "transfer/published/network.h"
#include "transfer/published/renyi.h"
#include "transfer/published/secret.h"
#include "transfer/published/wasserstein.h"
#include "transfer/published/zhu.h"
