// Published formulas and other people's mechanisms, under names that say so: for reproduction, comparison and audit. No
// release takes its noise from here without a policy that accepts it. All arithmetic is double, not rounded to the safe
// side. Source: docs/theory/published.md.  Claims: claims/published.md
#pragma once
#include "published/bayesian_leakage.h"
#include "published/compare.h"
#include "published/dependence_coefficient.h"
#include "published/dependent_sensitivity.h"
#include "published/distance_law.h"
#include "published/gaussian_model.h"
#include "published/identity_overlap.h"
#include "published/information.h"
#include "published/laplace_accuracy.h"
#include "published/laplace_loss.h"
#include "published/listed_law.h"
#include "published/markov_quilt.h"
#include "published/network.h"
#include "published/renyi.h"
#include "published/secret.h"
#include "published/wasserstein.h"
#include "published/zhu.h"
