const STATEMENT =
  /^(?:from [\w.]+ import .+|import [\w.]+(?: as \w+)?(?:, [\w.]+(?: as \w+)?)*|@[\w.]+(?:\(.*\))?|(?:return|raise|assert|del|global|pass|break|continue|yield)\b.*|(?:async )?(?:def|class|if|elif|for|while|with|try|except|finally|else)\b.*:(?: .*)?)$/;
const CALL = /^(?:await )?[A-Za-z_][\w.]*\(.*\)(?:\.\w+.*)?$/;
const ASSIGNMENT =
  /^[A-Za-z_][\w.]*(?:\[[^\]]*\])?(?:, ?[A-Za-z_]\w*)*(?:: ?[\w[\], .]+)? ?(?:[-+*/%|&]|\/\/|\*\*)?= ?\S.*$/;
const OTHER =
  /;\s*$|^(?:const|let|var|function|export|public|private|#include|SELECT|INSERT|UPDATE)\b|=>|\{\s*$|^\}/m;

/**
 * Guesses from the form of the lines if code without a language is Python; it parses no language. One Python line is
 * enough if all other lines could be Python too.
 */
export function looksLikePython(code: string): boolean {
  if (OTHER.test(code)) return false;
  let found = false;
  let open = 0;
  for (const line of code.split("\n")) {
    const text = line.replace(/\s+#.*$/, "").trim();
    if (text === "" || text.startsWith("#") || text.startsWith('"""') || open > 0) {
      open = Math.max(0, open + balanceOf(text));
      continue;
    }
    open = Math.max(0, balanceOf(text));
    if (STATEMENT.test(text) || CALL.test(text) || ASSIGNMENT.test(text) || open > 0) found = true;
    else return false;
  }
  return found;
}

function balanceOf(text: string): number {
  let balance = 0;
  for (const letter of text) {
    if ("([{".includes(letter)) balance++;
    else if (")]}".includes(letter)) balance--;
  }
  return balance;
}
