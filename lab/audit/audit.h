// Front door of the audit: what a release gives away, computed exactly or measured from outside.
// A release is a black box here: nothing from release, mechanism or random may be included. Claims: claims/audit.md
#pragma once
#include "audit/exact/exact_known.h"
#include "audit/exact/exact_law.h"
#include "audit/exact/exact_loss.h"
#include "audit/exact/exact_methods.h"
#include "audit/gallery/gallery.h"
#include "audit/history/policy_leak.h"
#include "audit/rho/rho.h"
