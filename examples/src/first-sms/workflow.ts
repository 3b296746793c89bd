import { base, lane, sendFirst, workflow } from '../parts';

export default workflow(
  {
    name: 'First SMS',
    about: `## First SMS
Press a button, and look: which SMS would be sent, as it arrives. Then really send it, to your own phone.

点一下按钮，先看会发出什么，再真的发一条到自己的手机。`,
    setUp: `### Set up here
*Send the SMS*: your credential, signature and template, your own number in **Phone Numbers**, and what the template's parameters are to be.
### 设置
*Send the SMS*：凭据、签名、模板，**Phone Numbers** 填自己的号码，再填模板变量。`,
    tryIt: `### Try it · 试一下
1. **Execute workflow**: nothing is sent. The output has the text and its segments. 不发送，输出里有短信全文和计费条数。
2. Under **Options**, switch **Check Only** off. Now each **Execute workflow** sends one SMS, which costs money. 关掉 **Check Only**，之后每点一次真发一条，要花钱。
3. \`accepted\`: the service took it. Does it not arrive? Look at the delivery report. 已受理；没收到就看状态报告。`,
  },
  lane(
    [],
    [
      base('manualTrigger', 'Execute workflow'),
      sendFirst('Send the SMS', '=first-{{ $execution.id }}'),
    ],
  ),
);
