// Source text with comments, and on request the contents of strings, replaced by spaces: what is left is code, line by line.

export interface BlankOutOptions {
  /** Keep the contents of strings, for rules about module names. */
  readonly keepStrings?: boolean;
}

// After one of these a slash begins a regular expression; after anything else it divides.
const beforeRegularExpression =
  /(?:^|[([{,;:=!&|?+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw))\s*$/;

/** Line breaks stay where they are, so that a position in the result is the position in the source. */
export function blankOut(source: string, options: BlankOutOptions = {}): string {
  let code = '';
  let at = 0;
  // One entry per open `${`: how many braces are open inside it.
  const openTemplates: number[] = [];

  const take = (length: number, isBlank: boolean): void => {
    const text = source.slice(at, at + length);
    code += isBlank ? text.replace(/[^\n]/g, ' ') : text;
    at += length;
  };
  const takeMatch = (pattern: RegExp, isBlank: boolean): void => {
    pattern.lastIndex = at;
    take(pattern.exec(source)?.[0].length ?? 1, isBlank);
  };
  const takeTemplateText = (): void => {
    takeMatch(/(?:[^`\\$]|\\[\s\S]|\$(?!\{))*/y, !options.keepStrings);
    if (source[at] === '$') {
      take(2, false);
      openTemplates.push(0);
    } else {
      take(1, false);
    }
  };

  while (at < source.length) {
    const character = source[at];
    const pair = source.slice(at, at + 2);
    const depth = openTemplates.at(-1);
    if (pair === '//') takeMatch(/.*/y, true);
    else if (pair === '/*') takeMatch(/\/\*[\s\S]*?\*\//y, true);
    else if (character === "'") takeMatch(/'(?:[^'\\\n]|\\[\s\S])*'?/y, !options.keepStrings);
    else if (character === '"') takeMatch(/"(?:[^"\\\n]|\\[\s\S])*"?/y, !options.keepStrings);
    else if (character === '/' && beforeRegularExpression.test(code.slice(-80))) {
      takeMatch(/\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y, true);
    } else if (character === '`') {
      take(1, false);
      takeTemplateText();
    } else if (character === '}' && depth === 0) {
      openTemplates.pop();
      take(1, false);
      takeTemplateText();
    } else {
      if (depth !== undefined && character === '{') openTemplates[openTemplates.length - 1] = depth + 1;
      if (depth !== undefined && character === '}') openTemplates[openTemplates.length - 1] = depth - 1;
      take(1, false);
    }
  }
  return code;
}
