package diagnose

var ScalingOf = scalingOf
