/** How many calls the service takes in one operation. */
export const MOST_CALLS = 16;
