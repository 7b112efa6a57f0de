;; Compares vectors with queries, all of the same length: 16-bit integers, in bytes a multiple of 16.
;; After a change: npx wat2wasm db/embeddings/scan.wat -o db/embeddings/scan.wasm
(module
  (memory (export "memory") 1 65536)

  ;; Writes for each of the `vectors` that begin at `vector` its largest inner product with one of the `queries` that
  ;; begin at `query`, as a 32-bit integer, to `out`. At least one of each.
  (func (export "scan")
    (param $vector i32) (param $vectors i32) (param $query i32) (param $queries i32) (param $bytes i32) (param $out i32)
    (local $asked i32) (local $left i32) (local $at i32) (local $sums v128) (local $product i32) (local $best i32)
    (loop $each_vector
      (local.set $best (i32.const -2147483648))
      (local.set $asked (local.get $query))
      (local.set $left (local.get $queries))
      (loop $each_query
        (local.set $sums (v128.const i64x2 0 0))
        (local.set $at (i32.const 0))
        (loop $each_eight
          (local.set $sums (i32x4.add (local.get $sums) (i32x4.dot_i16x8_s
            (v128.load (i32.add (local.get $vector) (local.get $at)))
            (v128.load (i32.add (local.get $asked) (local.get $at))))))
          (br_if $each_eight
            (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $bytes))))
        (local.set $product (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sums)) (i32x4.extract_lane 1 (local.get $sums)))
          (i32.add (i32x4.extract_lane 2 (local.get $sums)) (i32x4.extract_lane 3 (local.get $sums)))))
        (local.set $best (select
          (local.get $product) (local.get $best) (i32.gt_s (local.get $product) (local.get $best))))
        (local.set $asked (i32.add (local.get $asked) (local.get $bytes)))
        (br_if $each_query (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
      (i32.store (local.get $out) (local.get $best))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (local.set $vector (i32.add (local.get $vector) (local.get $bytes)))
      (br_if $each_vector (local.tee $vectors (i32.sub (local.get $vectors) (i32.const 1)))))))
