/**
 * What options must be: one table for each function or class, instead of checks written by hand. `@__NO_SIDE_EFFECTS__` lets
 * bundlers leave out the tables of functions that a program does not use.
 */

export {
  checkedBy,
  dictionary,
  type Kind,
  type Kinds,
  kindOf,
  like,
  optional,
  options,
  reading,
  request,
  shape,
  wrong,
} from "./kind.ts";
export {
  aList,
  aNumber,
  anyText,
  anything,
  callable,
  clockKind,
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
