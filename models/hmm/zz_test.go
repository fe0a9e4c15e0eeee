package hmm_test
import ("testing";"fmt";"math";"bytes";"errors";"math/rand/v2";"example.org/pathsum/em";"example.org/pathsum/models/hmm";"example.org/pathsum/internal/spoiled")
func TestZZ(t *testing.T){
 for seed:=range uint64(20) {
 rng := rand.New(rand.NewPCG(seed, 8))
 m := randomModel(t, rng, 3, 3)
 txt:=save(t,m)
 if seed==0 {fmt.Println(txt)}
 n:=0
 seqs:=make([]hmm.Sequence[int32],0)
 for range 4 {seqs=append(seqs,randomSequence(rng,5,3,3))}
 check:=func(what string, text []byte) (msg string) {
  defer func(){ if e:=recover();e!=nil {msg=fmt.Sprint("PANIC ",e)}}()
  m,_,err:=hmm.LoadDiscrete(bytes.NewReader(text))
  if err!=nil { if !errors.Is(err,hmm.ErrFormat) {return "other error "+err.Error()}; return ""}
  n++
  var b bytes.Buffer
  if err:=m.Save(&b);err!=nil {return "save: "+err.Error()}
  if _,_,err:=hmm.LoadDiscrete(&b);err!=nil {return "load again: "+err.Error()}
  p,err:=m.Predictor()
  if err!=nil {return "pred: "+err.Error()}
  for _,s:=range seqs {
   lp,err:=p.LogProb(s)
   if err!=nil { if !errors.Is(err,em.ErrInvalid) {return "lp "+err.Error()}; continue}
   if !(lp<=1e-12) {return fmt.Sprint("LP ",lp)}
   post,err:=p.Posteriors(s)
   if err!=nil { if !errors.Is(err,em.ErrUnderivable) {return "post "+err.Error()}; continue}
   for _,r:=range post { sum:=0.0; for _,x:=range r { if !(x>=0&&x<=1+1e-12) {return fmt.Sprint("POST ",x)}; sum+=x}; if math.Abs(sum-1)>1e-9 {return fmt.Sprint("SUM ",sum)} }
   if _,_,err:=p.Best(s);err!=nil {return "best "+err.Error()}
   if _,err:=p.Filter(s);err!=nil {return "filter "+err.Error()}
  }
  if _,err:=p.Sample(20,rng);err!=nil&&!errors.Is(err,hmm.ErrInvalid) {return "sample "+err.Error()}
  if _,err:=m.Stationary();err!=nil&&!errors.Is(err,hmm.ErrReducible) {return "stat "+err.Error()}
  _,err=m.Fit(t.Context(),seqs,&em.Options{Iterations:3})
  if err!=nil&&!errors.Is(err,em.ErrUnderivable)&&!errors.Is(err,em.ErrInvalid) { return "F "+err.Error()}
  return ""
 }
 for what,text:=range spoiled.JSON([]byte(txt)) { if r:=check(what,text);r!="" {fmt.Println(what,r)} }
 fmt.Println(n)
 for what,text:=range spoiled.Bytes([]byte(txt),3000,rand.New(rand.NewPCG(1,1))) { if r:=check(what,text);r!="" {fmt.Println(what,r)} }
 fmt.Println(n)
 }
}
