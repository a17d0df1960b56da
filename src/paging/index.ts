export { isAnswerTooLarge, PageSize, TooLargeError, withAdaptivePageSize } from "./page-size.ts";
