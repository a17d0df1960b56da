export { fitting } from "./fitting.ts";
export { PageSize } from "./page-size.ts";
export { isAnswerTooLarge, TooLargeError } from "./too-large.ts";
