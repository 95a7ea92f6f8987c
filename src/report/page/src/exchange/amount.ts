import { bytes, plural } from "../text/format";
import type { Measure } from "./matrix";

export const amount = (value: number, measure: Measure) => (measure === "bytes" ? bytes(value) : plural(value, "message"));
