// Front door of the audit: what a release gives away, worked out exactly or measured from outside.
// A release is a black box here: nothing of release, mechanism or random may be included.
#pragma once
