export { withAdaptivePageSize } from "./adaptive-page-size.ts";
export { PageSize } from "./page-size.ts";
export { isAnswerTooLarge, TooLargeError } from "./too-large.ts";
