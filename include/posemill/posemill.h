// Posemill: keyframe animation for crowds. This header brings the whole runtime; import is in import.h.
#ifndef POSEMILL_POSEMILL_H
#define POSEMILL_POSEMILL_H

#include "additive.h"
#include "base.h"
#include "blend.h"
#include "channel.h"
#include "clip.h"
#include "clock.h"
#include "compile.h"
#include "curve.h"
#include "easing.h"
#include "inspect.h"
#include "event.h"
#include "fade.h"
#include "interpolate.h"
#include "kernels.h"
#include "motion.h"
#include "order.h"
#include "palette.h"
#include "playback.h"
#include "pose.h"
#include "report.h"
#include "sample.h"
#include "skeleton.h"
#include "sync.h"
#include "update.h"

#endif
