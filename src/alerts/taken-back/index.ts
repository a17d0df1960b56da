export { learn } from "./learn.ts";
export { blockEvidenceOf, logPlaceOf } from "./log-place.ts";
export { nextSettleAt, settle } from "./past.ts";
export type { Learned, WatchState } from "./types.ts";
export { readWatch, sealedWatch, watchAlert, watchStateOf } from "./watch.ts";
