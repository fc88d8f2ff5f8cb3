// Tests: the reference evaluator. Double precision, straight from raw channels, one joint and one time at a
// time, with libm; it shares no code with the library. It does what compile's repair policy and a sample job
// together must do.
#ifndef REFERENCE_H
#define REFERENCE_H

#include <posemill/channel.h>
#include <posemill/skeleton.h>

// A value with the largest magnitude that went into it: keys of the segment, and tangents times duration.
// Float rounding is bounded by a multiple of that, not of the value.
typedef struct reference_value {
    double value[4];
    double magnitude;
    double length;                  // of a rotation before it was normalised, relative to `magnitude`; else 1
    bool exact;                     // a key's own value, a held one, or rest: nothing was computed
    double easing;                  // what the segment's easing multiplies rounding by, 1 where there is none
    pm_interpolation interpolation; // STEP where there is no channel
} reference_value;

typedef struct reference_transform {
    reference_value translation, rotation, scale;
} reference_transform;

typedef struct reference reference;

// Prepares a clip's channels. Channels that repair must drop are left out. Source and skeleton must outlive
// it.
reference *reference_create(const pm_clip_source *source, const pm_skeleton *skeleton);
void reference_destroy(reference *clip);

// A joint (a scalar) at a time in seconds: finite, infinite or NaN.
reference_transform reference_joint(const reference *clip, uint32_t joint, double time_seconds);
reference_value reference_scalar(const reference *clip, uint32_t scalar, double time_seconds);

// The angle in radians between two rotations (not the angle between quaternions, which is half of it). They
// need not be unit; a quaternion and its negative are one rotation. Accurate for small angles.
double reference_rotation_angle(const double a[4], const double b[4]);

// The same against a float quaternion that lies in a pose.
double reference_rotation_error(const double expected[4], const float actual[4]);

// Slerp on the shortest path between two unit quaternions.
void reference_slerp(const double a[4], const double b[4], double u, double result[4]);

#endif
