package sim

import "math"

// Services returns the services that [Autoscale] comes with. The slice is the
// caller's.
//
//   - published1, published6: the arrivals of the autoscaler that Yusuke Miyake
//     published after the talk "Optimization for Number of goroutines Using
//     Feedback Control" (github.com/monochromegane/kaburaya-autoscaler, README,
//     2019): 500 steps with 20 requests in each, from step 100 on 5,000, then
//     10,000, 15,000 and 10,000; a replica does 1,000 a step; the measurement
//     is a step old and a replica starts in 6 steps there, and here in 1 or 6.
//     A step is 15 s here, in which Kubernetes asks its autoscaler.
//   - stairs: 20 steps up of 100 requests per second each, in 20 minutes, and
//     down again.
//   - daynight: a day from 5 to 50 requests of 2 s per second and back, with a
//     burst to three times as many for 20 minutes in the evening.
//   - flash: ten times the load at once, for five minutes, with starts that
//     take between half and twice as long as usual.
//   - ten-thousand: a load that needs 10,000 replicas of 10 s work after a ramp
//     of an hour.
func Services() []Service {
	return []Service{
		published("published1", "the published arrivals; a replica starts in 1 step of 15 s", 1),
		published("published6", "the published arrivals; a replica starts in 6 steps of 15 s", 6),
		stairs(),
		dayNight(),
		{
			Name: "flash", About: "ten times the load within a second, for five minutes; a replica starts in 30 to 120 s",
			Seconds: 2400, Step: askEvery, Startup: Dist{Kind: Uniform, A: 30, B: 120}, Work: Dist{Kind: Lognormal, A: 0.1, B: 1},
			Load:     []Stretch{{0, 50, 50}, {600, 500, 500}, {900, 50, 50}, {1500, 500, 500}, {1800, 50, 50}},
			Replicas: 8, Target: 0.7,
		},
		{
			Name: "ten-thousand", About: "a ramp of an hour to a load that needs 10,000 replicas; a replica starts in 60 s",
			Seconds: 7200, Step: askEvery, Startup: Dist{Kind: Constant, A: 60}, Work: Dist{Kind: Exponential, A: 10},
			Load:     []Stretch{{0, 70, 70}, {600, 70, 700}, {4200, 700, 700}, {6000, 350, 350}},
			Replicas: 1000, Target: 0.7,
		},
	}
}

// askEvery is the period at which Kubernetes asks its autoscaler, s.
const askEvery = 15.0

func published(name, about string, startSteps float64) Service {
	const steps, perStep = 100, 1000
	s := Service{
		Name: name, About: about, Seconds: 5 * steps * askEvery, Step: askEvery,
		Startup: Dist{Kind: Constant, A: startSteps * askEvery}, Work: Dist{Kind: Exponential, A: askEvery / perStep},
		Replicas: 1, Target: 0.7,
	}
	for i, arrivals := range []float64{20, 5000, 10_000, 15_000, 10_000} {
		rate := arrivals / askEvery
		s.Load = append(s.Load, Stretch{float64(i) * steps * askEvery, rate, rate})
	}
	return s
}

func stairs() Service {
	const steps, each, seconds = 20, 100.0, 60.0
	s := Service{
		Name: "stairs", About: "20 steps of 100 requests per second each up in 20 minutes, and down; a replica starts in 60 s",
		Seconds: 2 * steps * seconds, Step: askEvery,
		Startup: Dist{Kind: Constant, A: 60}, Work: Dist{Kind: Exponential, A: 0.02},
		Replicas: 3, Target: 0.7,
	}
	for i := range 2 * steps {
		rate := each * float64(min(i+1, 2*steps-i))
		s.Load = append(s.Load, Stretch{float64(i) * seconds, rate, rate})
	}
	return s
}

// dayNight is a day whose load follows a cosine, lowest at 4 in the morning,
// in straight pieces of half an hour, with a burst from 20:00 to 20:20.
func dayNight() Service {
	const hour, low, high = 3600.0, 5.0, 50.0
	const burst, rise, lasts, times = 20 * hour, 60.0, 1200.0, 3.0
	rate := func(at float64) float64 {
		return (low+high)/2 - (high-low)/2*math.Cos(2*math.Pi*(at-4*hour)/(24*hour))
	}
	s := Service{
		Name: "daynight", About: "a day from 5 to 50 requests per second and back, in the evening a burst to three times as many; a replica starts in 60 s",
		Seconds: 24 * hour, Step: askEvery, Startup: Dist{Kind: Constant, A: 60}, Work: Dist{Kind: Exponential, A: 2},
		Replicas: 47, Target: 0.7,
	}
	for at := 0.0; at < 24*hour; at += hour / 2 {
		if at != burst {
			s.Load = append(s.Load, Stretch{at, rate(at), rate(at + hour/2)})
			continue
		}
		usual, after := rate(at), rate(at+hour/2)
		s.Load = append(s.Load,
			Stretch{at, usual, times * usual},
			Stretch{at + rise, times * usual, times * usual},
			Stretch{at + rise + lasts, usual, after},
		)
	}
	return s
}
