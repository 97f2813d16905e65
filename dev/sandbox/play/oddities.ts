/** What people and platforms really send, by what it is: names, texts and file names that programs stumble over. */
export const oddities = {
  names: [
    ['Only invisible characters', '\u200b\u2060\u3164'],
    ['Marks of direction', '\u202eanna\u202c'],
    ['Family of emoji', '👨‍👩‍👧‍👦 Müller'],
    ['Composed and decomposed', 'Jose\u0301 José'],
    ['Arabic', 'محمد عبد الله'],
    ['Hebrew', 'אברהם כהן'],
    ['Thai', 'สมชาย ใจดี'],
    ['Hindi', 'अमित शर्मा'],
    ['Chinese', '王小明'],
    ['Japanese, full width', 'ｱﾝﾅ　ＡＮＮＡ'],
    ['Stacked marks', 'Z̷̢͓a̴͙͝l̶͚̈́g̵̮͂o̷͇̓'],
    ['Markup', '<b>Anna</b> & "Co"'],
    ['A formula', '=HYPERLINK("https://example.com")'],
  ],
  texts: [
    ['Nothing to see', '\u200b'],
    ['STOP with a full stop', 'Stop.'],
    ['STOP in bold', '*STOP*'],
    ['STOP in quotes', '“stop”!'],
    ['STOP with an invisible end', 'STOP\u200b'],
    ['STOP in full width', 'ＳＴＯＰ'],
    ['No STOP', "Don't stop"],
    ['Emoji of several characters', '👩🏽‍🚒🏴󠁧󠁢󠁷󠁬󠁳󠁿'.repeat(20)],
    ['Right to left', 'مرحبا 12345 hello שלום'],
    ['Half a character', 'cut \ud83d'],
  ],
  fileNames: [
    ['Ends in .pdf to the eye', '\u202efdp.exe'],
    ['Path', '../../etc/passwd'],
    ['Two endings', 'invoice.pdf.exe'],
    ['Invisible end', 'photo.jpg\u200b.html'],
    ['Line break', 'a\r\nSet-Cookie: b.txt'],
    ['Quotes', 'a"; filename="b.exe'],
    ['Every script', 'Größe 図面 عقد.pdf'],
    ['Long', `${'n'.repeat(300)}.pdf`],
  ],
  /** Buttons that a customer taps, as the webhook tells it. */
  taps: [
    ['Template button: STOP', { type: 'button', button: { payload: 'STOP', text: 'STOP' } }],
    ['Template button: Stop promotions', { type: 'button', button: { payload: 'opt-out', text: 'Stop promotions' } }],
    ['Template button: Yes', { type: 'button', button: { payload: 'YES', text: 'Yes' } }],
    [
      'Reply button: Stop',
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'b1', title: 'Stop' } } },
    ],
    [
      'List row: Unsubscribe',
      {
        type: 'interactive',
        interactive: {
          type: 'list_reply',
          list_reply: { id: 'r1', title: 'Unsubscribe', description: 'No more news' },
        },
      },
    ],
    [
      'List row: START',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'r2', title: 'START' } } },
    ],
    ['A reply of the future', { type: 'interactive', interactive: { type: 'dial_reply', dial_reply: { turn: 3 } } }],
  ],
} as const;
