// Function words of English: no terms of documents either.

/** English words without a meaning for search. */
export const ENGLISH: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does done for from had has have he " +
    "her his how i if in into is it its just may me might more most my no nor not of on one only or other our out over she " +
    "should so some such than that the their them then there these they this those through to too up us very was we were what " +
    "when where which while who whom whose why will with would you your"
  ).split(" "),
);
