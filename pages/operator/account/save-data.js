/** Saves the body of a response as a file. @param {Response} response */
export async function saveData (response) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = 'account-data.json'
  link.click()
  URL.revokeObjectURL(link.href)
  return {}
}
