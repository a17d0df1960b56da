/**
 * What options must be: one table for each function or class, instead of checks written by hand. `@__NO_SIDE_EFFECTS__` lets
 * bundlers leave out the tables of functions that a program does not use.
 */

export { checkedBy, type Kind, kindOf, optional, reading, wrong } from "./kind.ts";
export {
  aList,
  aNumber,
  anyText,
  anything,
  callable,
  duration,
  either,
  finite,
  finiteDuration,
  flag,
  isText,
  jsonObject,
  listOf,
  milliseconds,
  name,
  oneOf,
  positiveWhole,
  signal,
  someTime,
  text,
  texts,
  whole,
} from "./kinds.ts";
export { clockKind, dictionary, type Kinds, like, options, request, shape } from "./shape.ts";
