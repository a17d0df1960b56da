export { learn } from "./learn.ts";
export { blockEvidenceOf, logPlaceOf } from "./log-place.ts";
export { nextSettleAt, settle } from "./settle.ts";
export type { Learned, WatchState } from "./types.ts";
export { watchAlert } from "./watch.ts";
export { readWatch, sealedWatch, watchStateOf } from "./watch-form.ts";
