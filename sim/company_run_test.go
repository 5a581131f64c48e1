package sim_test

import (
	"fmt"

	"github.com/sweetspot-go/sweetspot/control"
	"github.com/sweetspot-go/sweetspot/sim"
)

// twoPrograms ask one database that serves 24 requests at a time, and does less the more of
// them wait.
func twoPrograms() sim.Company {
	slow, _ := sim.ParseCurve("1 up to 48; n/48")
	program := sim.CompanyProcess{Limiters: []sim.CompanyLimiter{{Count: 1, Calls: "db"}}}
	return sim.Company{
		Name: "two-programs", CPUs: 4, Seconds: 10,
		Servers: []sim.CompanyServer{{
			Name: "db", Places: 24, Service: sim.Dist{Kind: sim.Exponential, A: 0.02}, Slow: slow,
		}},
		Processes: []sim.CompanyProcess{program, program},
	}
}

func ExampleRunCompany() {
	for _, n := range []int{4, 12, 100} {
		r, err := sim.RunCompany(twoPrograms(), 1, func() control.Controller { return control.NewFixed(n) })
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%3d each, of the best %d: score %.2f\n", n, r.Loops[0].Best, r.Score)
	}
	// Output:
	//   4 each, of the best 12: score 0.34
	//  12 each, of the best 12: score 1.01
	// 100 each, of the best 12: score 0.24
}

func ExampleJudgeCompanies() {
	rows, err := sim.JudgeCompanies([]sim.Company{twoPrograms()}, []uint64{1, 2, 3},
		func() control.Controller { return control.NewFixed(6) })
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range rows {
		fmt.Printf("%s: best %v; score %.2f, fairness %.2f\n", row.Name, row.Best, row.Score, row.Jain)
	}
	// Output: two-programs: best [12]; score 0.50, fairness 1.00
}

func ExampleCompany_Validate() {
	c := twoPrograms()
	c.Processes[1].Limiters[0].Calls = "cache"
	fmt.Println(c.Validate())
	// Output: company "two-programs": a Limiter calls "cache": no server has that name
}
